import type { Entry, Registry, TemplateEntry } from '../offering/registry.ts';
import type { MountedEntries } from './entries.ts';

/** Registries that were merged before, by what they were made of: a source that says the same again costs nothing. */
const known = new WeakMap<Registry, WeakMap<MountedEntries, Registry>>();

/**
 * A registry in which the entries of a mount are those that were found for one caller. A key that another entry has stays with that entry, and is reported once.
 */
export function merged(
  registry: Registry,
  registered: MountedEntries,
  found: MountedEntries,
  onclash: (clash: Error) => void,
): Registry {
  let made = known.get(registry);
  if (made === undefined) known.set(registry, (made = new WeakMap()));
  const before = made.get(found);
  if (before !== undefined) return before;
  const taken = new Set<string>();
  for (const [name, entry] of registry.templates)
    if (!registered.templates.has(name)) taken.add(entry.definition.uriTemplate);
  const isFree = (entry: TemplateEntry): boolean => !taken.has(entry.definition.uriTemplate);
  const result: Registry = {
    ...registry,
    tools: joined(registry.tools, registered.tools, found.tools, onclash),
    resources: joined(registry.resources, registered.resources, found.resources, onclash),
    templates: joined(
      registry.templates,
      registered.templates,
      new Map([...found.templates].filter(([, entry]) => isFree(entry))),
      onclash,
    ),
    prompts: joined(registry.prompts, registered.prompts, found.prompts, onclash),
    lists: { ordered: new Map(), pages: new Map() },
  };
  made.set(found, result);
  return result;
}

function joined<E extends Entry>(
  all: ReadonlyMap<string, E>,
  without: ReadonlyMap<string, E>,
  added: ReadonlyMap<string, E>,
  onclash: (clash: Error) => void,
): ReadonlyMap<string, E> {
  if (without.size + added.size === 0) return all;
  const entries = new Map(all);
  for (const key of without.keys()) entries.delete(key);
  for (const [key, entry] of added) {
    if (entries.has(key)) onclash(new Error(`"${key}" is offered by another already, and is left out.`));
    else entries.set(key, entry);
  }
  return entries;
}
