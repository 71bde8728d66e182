import type { Catalogue, ChangedList } from '../offering/catalogue.ts';
import type { EntryMap } from '../offering/entry-map.ts';
import type { Entry } from '../offering/registry.ts';
import type { MountedEntries } from './entries.ts';

const FEATURE_NAMES = ['tools', 'resources', 'templates', 'prompts'] as const;
type FeatureName = (typeof FEATURE_NAMES)[number];

function listOf(feature: FeatureName): ChangedList {
  return feature === 'templates' ? 'resources' : feature;
}

/**
 * Replaces mounted entries by others, and returns them as they are kept. Throws when one of them is taken already; then nothing has changed. Entries in
 * both keep their position.
 */
export function replaceEntries(into: Catalogue, before: MountedEntries, after: MountedEntries): MountedEntries {
  for (const feature of FEATURE_NAMES) refuseForeign(into, feature, before, after);
  const templates = new Set(
    [...into.templates.values()]
      .filter(({ definition }) => !before.templates.has(definition.name))
      .map(({ definition }) => definition.uriTemplate),
  );
  for (const { definition } of after.templates.values())
    if (templates.has(definition.uriTemplate))
      throw new Error(
        `The resource template "${definition.uriTemplate}" is already registered: use another one, or update() or remove() of what registering it returned.`,
      );
  const kept = Object.fromEntries(
    FEATURE_NAMES.map((feature) => [feature, swap(into, feature, before, after)]),
  ) as object as MountedEntries;
  const changed = FEATURE_NAMES.filter((feature) => before[feature].size + after[feature].size > 0);
  for (const list of new Set(changed.map(listOf))) into.changed(list);
  return kept;
}

function refuseForeign(into: Catalogue, feature: FeatureName, before: MountedEntries, after: MountedEntries): void {
  const list = listOf(feature);
  for (const [key, entry] of after[feature]) {
    if (into[feature].has(key) && !before[feature].has(key))
      throw new Error(`"${key}" is already registered: mount the source under another prefix.`);
    if (entry.visible !== undefined) into.refusePublic(list, { key, config: {} });
  }
}

function swap(
  into: Catalogue,
  feature: FeatureName,
  before: MountedEntries,
  after: MountedEntries,
): ReadonlyMap<string, Entry> {
  const entries = into[feature] as object as EntryMap<Entry>;
  const kept = new Map<string, Entry>();
  for (const key of before[feature].keys()) if (!after[feature].has(key)) entries.delete(key);
  for (const [key, entry] of after[feature]) {
    const placed = { ...entry, order: before[feature].get(key)?.order ?? into.reserve() };
    entries.set(key, placed);
    kept.set(key, placed);
  }
  return kept;
}
