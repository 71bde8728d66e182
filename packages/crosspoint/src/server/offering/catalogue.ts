import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { cacheHintsFault, type CacheHints } from '../../protocol/listing.ts';
import type { MountedEntries } from '../composition/entries.ts';
import type {
  CallerOffers,
  Entry,
  ListHints,
  PromptEntry,
  Registry,
  ResourceEntry,
  TemplateEntry,
  ToolEntry,
} from './registry.ts';
import { EntryMap } from './entry-map.ts';
import { RegisteredEntry, type Registration } from './registered-entry.ts';

export interface CatalogueOptions {
  readonly hints: ListHints;
  readonly pageSize: number;
  readonly ranksCompletions: boolean;
}

/** The list that changes with a registration. */
export type ChangedList = 'tools' | 'prompts' | 'resources';

const FEATURE_NAMES = ['tools', 'resources', 'templates', 'prompts'] as const;
type FeatureName = (typeof FEATURE_NAMES)[number];

function listOf(feature: FeatureName): ChangedList {
  return feature === 'templates' ? 'resources' : feature;
}

/** The mutable side of the registry: takes registrations and gives out snapshots. */
export class Catalogue {
  readonly tools: EntryMap<ToolEntry> = new EntryMap();
  readonly resources: EntryMap<ResourceEntry> = new EntryMap();
  readonly templates: EntryMap<TemplateEntry> = new EntryMap();
  readonly prompts: EntryMap<PromptEntry> = new EntryMap();
  /** Sources that differ by caller; absent while none is mounted. */
  byCaller: CallerOffers | undefined;
  readonly #options: CatalogueOptions;
  readonly #onchange: (list: ChangedList) => void;
  #order = 0;
  #snapshot: Registry | undefined;

  constructor(options: CatalogueOptions, onchange: (list: ChangedList) => void) {
    for (const [list, hints] of Object.entries(options.hints)) {
      const fault = cacheHintsFault(hints);
      if (fault !== undefined) throw new TypeError(`The cache hints of ${list}: ${fault}.`);
    }
    this.#options = options;
    this.#onchange = onchange;
  }

  get registry(): Registry {
    this.#snapshot ??= {
      tools: this.tools.snapshot(),
      resources: this.resources.snapshot(),
      templates: this.templates.snapshot(),
      prompts: this.prompts.snapshot(),
      ...this.#options,
      lists: { items: new Map(), pages: new Map() },
    };
    return this.#snapshot;
  }

  /** Registers an entry and returns the means to change it. */
  add<Config extends { visible?: unknown; cache?: CacheHints }, Callback, E extends Entry>(
    list: ChangedList,
    into: EntryMap<E>,
    given: Pick<Registration<Config, Callback>, 'key' | 'config' | 'callback'>,
    compile: (registration: Registration<Config, Callback>) => E,
  ): RegisteredEntry<Config, Callback, E> {
    const guarded = (registration: Registration<Config, Callback>): E => {
      if (registration.config.visible !== undefined) this.#refusePublic(list, registration);
      return compile(registration);
    };
    this.#order += 1;
    return new RegisteredEntry(into, { ...given, enabled: true, order: this.#order }, guarded, () => {
      this.#snapshot = undefined;
      this.#onchange(list);
    });
  }

  /** A place in lists, for entries that are not registered here. */
  reserve(): number {
    return (this.#order += 1);
  }

  /** Throws where a list is cached as public: a source that differs by caller may have entries in each. */
  refusePublicLists(key: string): void {
    for (const list of ['tools', 'prompts', 'resources'] as const) this.#refusePublic(list, { key, config: {} });
  }

  /**
   * Replaces mounted entries by others, and returns them as they are kept. Throws when one of them is taken already; then nothing has changed. Entries in
   * both keep their position.
   */
  replace(before: MountedEntries, after: MountedEntries): MountedEntries {
    for (const feature of FEATURE_NAMES) this.#refuseForeign(feature, before, after);
    const templates = new Set(
      [...this.templates.values()]
        .filter(({ definition }) => !before.templates.has(definition.name))
        .map(({ definition }) => definition.uriTemplate),
    );
    for (const { definition } of after.templates.values())
      if (templates.has(definition.uriTemplate))
        throw new Error(
          `The resource template "${definition.uriTemplate}" is already registered: use another one, or update() or remove() of what registering it returned.`,
        );
    const changed = new Set<ChangedList>();
    const kept = Object.fromEntries(
      FEATURE_NAMES.map((feature) => [feature, this.#swap(feature, before, after, changed)]),
    ) as object as MountedEntries;
    if (changed.size > 0) this.#snapshot = undefined;
    for (const list of changed) this.#onchange(list);
    return kept;
  }

  #refuseForeign(feature: FeatureName, before: MountedEntries, after: MountedEntries): void {
    const list = listOf(feature);
    for (const [key, entry] of after[feature]) {
      if (this[feature].has(key) && !before[feature].has(key))
        throw new Error(`"${key}" is already registered: mount the source under another prefix.`);
      if (entry.visible !== undefined) this.#refusePublic(list, { key, config: {} });
    }
  }

  #swap(
    feature: FeatureName,
    before: MountedEntries,
    after: MountedEntries,
    changed: Set<ChangedList>,
  ): ReadonlyMap<string, Entry> {
    const entries = this[feature] as EntryMap<Entry>;
    const kept = new Map<string, Entry>();
    for (const key of before[feature].keys()) if (!after[feature].has(key)) entries.delete(key);
    for (const [key, entry] of after[feature]) {
      const order = before[feature].get(key)?.order ?? (this.#order += 1);
      const placed = { ...entry, order };
      entries.set(key, placed);
      kept.set(key, placed);
    }
    if (before[feature].size + after[feature].size > 0) changed.add(listOf(feature));
    return kept;
  }

  /** The capabilities that the registered entries need. */
  get capabilities(): ServerCapabilities {
    const completes =
      [...this.prompts.values()].some((prompt) => prompt.completers.size > 0) ||
      [...this.templates.values()].some((entry) => entry.template.completes);
    return {
      ...(this.tools.size > 0 && { tools: { listChanged: true } }),
      ...(this.resources.size + this.templates.size > 0 && { resources: { listChanged: true } }),
      ...(this.prompts.size > 0 && { prompts: { listChanged: true } }),
      ...(completes && { completions: {} }),
    };
  }

  /** Refuses public caching of entries that depend on the caller: a shared cache would hand them to anyone. */
  #refusePublic(list: ChangedList, { key, config }: { key: string; config: { cache?: CacheHints } }): void {
    if (config.cache?.cacheScope === 'public')
      throw new TypeError(`"${key}" depends on the caller (visible), so its contents must not be cached as public.`);
    const { hints } = this.#options;
    const scopes = list === 'resources' ? [hints.resources, hints.resourceTemplates] : [hints[list]];
    if (scopes.some((scope) => scope?.cacheScope === 'public'))
      throw new TypeError(`The list of ${list} is marked public, so nothing in it may depend on the caller (visible).`);
  }
}
