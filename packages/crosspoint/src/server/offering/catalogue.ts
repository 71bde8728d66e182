import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { cacheHintsFault, type CacheHints } from '../../protocol/listing.ts';
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

/** The mutable side of the registry: takes registrations and gives out snapshots. */
export class Catalogue {
  readonly tools: EntryMap<ToolEntry> = new EntryMap();
  readonly resources: EntryMap<ResourceEntry> = new EntryMap();
  /** Counts those with completion: `capabilities` is read at each registration. */
  readonly templates: EntryMap<TemplateEntry> = new EntryMap(({ template }) => template.completes);
  readonly prompts: EntryMap<PromptEntry> = new EntryMap(({ completers }) => completers.size > 0);
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
      lists: { ordered: new Map(), pages: new Map() },
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
      if (registration.config.visible !== undefined) this.refusePublic(list, registration);
      return compile(registration);
    };
    this.#order += 1;
    return new RegisteredEntry(into, { ...given, enabled: true, order: this.#order }, guarded, () =>
      this.changed(list),
    );
  }

  /** A place in lists, for entries that are not registered here. */
  reserve(): number {
    return (this.#order += 1);
  }

  /** Some entries have changed: the next snapshot is a new one, and clients are told. */
  changed(list: ChangedList): void {
    this.#snapshot = undefined;
    this.#onchange(list);
  }

  /** The capabilities that the registered entries need. */
  get capabilities(): ServerCapabilities {
    return {
      ...(this.tools.size > 0 && { tools: { listChanged: true } }),
      ...(this.resources.size + this.templates.size > 0 && { resources: { listChanged: true } }),
      ...(this.prompts.size > 0 && { prompts: { listChanged: true } }),
      ...(this.prompts.counted + this.templates.counted > 0 && { completions: {} }),
    };
  }

  /** Refuses public caching of entries that depend on the caller: a shared cache would hand them to anyone. */
  refusePublic(list: ChangedList, { key, config }: { key: string; config: { cache?: CacheHints } }): void {
    if (config.cache?.cacheScope === 'public')
      throw new TypeError(`"${key}" depends on the caller (visible), so its contents must not be cached as public.`);
    const { hints } = this.#options;
    const scopes = list === 'resources' ? [hints.resources, hints.resourceTemplates] : [hints[list]];
    if (scopes.some((scope) => scope?.cacheScope === 'public'))
      throw new TypeError(`The list of ${list} is marked public, so nothing in it may depend on the caller (visible).`);
  }
}
