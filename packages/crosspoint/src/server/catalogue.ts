import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { cacheHintsFault, type CacheHints } from '../protocol/listing.ts';
import type { PromptEntry, Registry, ResourceEntry, TemplateEntry, ToolEntry, ListHints, Entry } from './registry.ts';
import { Shelf } from './shelf.ts';
import { Shelved, type Registration } from './shelved.ts';

export interface CatalogueOptions {
  readonly hints: ListHints;
  readonly pageSize: number;
}

/** What changes when something is put on a shelf or taken off it. */
export type ChangedList = 'tools' | 'prompts' | 'resources';

/** The mutable side of the registry: takes registrations and gives out snapshots. */
export class Catalogue {
  readonly tools: Shelf<ToolEntry> = new Shelf();
  readonly resources: Shelf<ResourceEntry> = new Shelf();
  readonly templates: Shelf<TemplateEntry> = new Shelf();
  readonly prompts: Shelf<PromptEntry> = new Shelf();
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

  /** Puts something on a shelf and gives the means to change it. */
  add<Config extends { visible?: unknown; cache?: CacheHints }, Callback, E extends Entry>(
    list: ChangedList,
    shelf: Shelf<E>,
    given: Pick<Registration<Config, Callback>, 'key' | 'config' | 'callback'>,
    compile: (registration: Registration<Config, Callback>) => E,
  ): Shelved<Config, Callback, E> {
    const guarded = (registration: Registration<Config, Callback>): E => {
      if (registration.config.visible !== undefined) this.#refusePublic(list, registration);
      return compile(registration);
    };
    this.#order += 1;
    return new Shelved(shelf, { ...given, enabled: true, order: this.#order }, guarded, () => {
      this.#snapshot = undefined;
      this.#onchange(list);
    });
  }

  /** The capabilities that what is on the shelves calls for. */
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

  /** A shared cache may hand a public result to anyone, so what depends on the caller must not be public. */
  #refusePublic(list: ChangedList, { key, config }: { key: string; config: { cache?: CacheHints } }): void {
    if (config.cache?.cacheScope === 'public')
      throw new TypeError(
        `"${key}" is not for everyone (visible), so what is read of it must not be cached as public.`,
      );
    const { hints } = this.#options;
    const scopes = list === 'resources' ? [hints.resources, hints.resourceTemplates] : [hints[list]];
    if (scopes.some((scope) => scope?.cacheScope === 'public'))
      throw new TypeError(`The list of ${list} is marked public, so nothing in it may depend on the caller (visible).`);
  }
}
