import type { Prompt, Resource, Tool } from 'crosspoint/client';
import { uiOfTool } from '@crosspoint/apps/client';
import { attempt } from '../values/guard.ts';
import type { ListedTemplate, Listing } from './listing.ts';
import { catalogueName } from './names.ts';

/** A tool of a server, under its name in the catalogue. */
export interface CatalogueTool {
  /** `server__tool`: unique and stable; see `catalogueName`. */
  readonly name: string;
  readonly server: string;
  /** The definition as the server lists it, with the server's own name of the tool. */
  readonly tool: Tool;
  /** Whether the model may see it. An app may offer tools to its own view alone. */
  readonly isForModel: boolean;
  /** Whether the view of an app of the same server may call it. */
  readonly isForApps: boolean;
  /** Whether the server is not connected now: the definition is the one it listed last. */
  readonly isStale: boolean;
}

/** A prompt of a server, under its name in the catalogue. */
export interface CataloguePrompt {
  readonly name: string;
  readonly server: string;
  readonly prompt: Prompt;
  readonly isStale: boolean;
}

/** A resource of a server. Its address is the server's: two servers may have the same. */
export interface CatalogueResource {
  readonly server: string;
  readonly resource: Resource;
  readonly isStale: boolean;
}

/** A template of a server. */
export interface CatalogueTemplate {
  readonly server: string;
  readonly template: ListedTemplate;
  readonly isStale: boolean;
}

/** A fault of a server's list that made an item unusable. */
export interface CatalogueProblem {
  readonly server: string;
  readonly text: string;
}

/** Everything of one server, as it stands in the catalogue. */
interface Shelf {
  readonly listing: Listing;
  readonly tools: ReadonlyMap<string, CatalogueTool>;
  readonly prompts: ReadonlyMap<string, CataloguePrompt>;
  readonly resources: readonly CatalogueResource[];
  readonly templates: readonly CatalogueTemplate[];
  readonly problems: readonly CatalogueProblem[];
}

/**
 * Tools, prompts and resources of all servers. One server's listing is replaced as a whole, so that a reader never sees half of it; the cost
 * of a change is that server's items, and of a lookup by name one server's table.
 */
export class Catalogue {
  readonly #shelves = new Map<string, Shelf>();
  readonly #listeners = new Set<(server: string) => void>();
  /** Name in the catalogue → server, for the names of tools and prompts of every shelf. */
  readonly #owners = new Map<string, string>();
  readonly #onproblem: ((problem: Error) => void) | undefined;
  #tools: readonly CatalogueTool[] | undefined;

  /** `onproblem` is told of listeners that fail. */
  constructor(options: { readonly onproblem?: (problem: Error) => void } = {}) {
    this.#onproblem = options.onproblem;
  }

  /** Replaces what the server offers. `isStale`: it is not connected, and this is what it offered last. */
  set(server: string, listing: Listing, isStale = false): void {
    this.#forget(server);
    const shelf = shelve(server, listing, isStale);
    this.#shelves.set(server, shelf);
    for (const name of shelf.tools.keys()) this.#owners.set(name, server);
    for (const name of shelf.prompts.keys()) this.#owners.set(name, server);
    this.#changed(server);
  }

  /** Marks everything of the server as offered last, because its connection is lost. */
  markStale(server: string): void {
    const shelf = this.#shelves.get(server);
    if (shelf !== undefined) this.set(server, shelf.listing, true);
  }

  remove(server: string): void {
    if (!this.#shelves.has(server)) return;
    this.#forget(server);
    this.#changed(server);
  }

  /** The tools that the model may see, in the order of their servers and of the servers' lists. */
  tools(): readonly CatalogueTool[] {
    return (this.#tools ??= this.#all((shelf) => shelf.tools.values()).filter(({ isForModel }) => isForModel));
  }

  /** The tools of one server that the model may see. */
  toolsOf(server: string): readonly CatalogueTool[] {
    return [...(this.#shelves.get(server)?.tools.values() ?? [])].filter(({ isForModel }) => isForModel);
  }

  /** The names of the servers that have listed what they offer. */
  servers(): readonly string[] {
    return [...this.#shelves.keys()];
  }

  /** A tool by its name in the catalogue, whether or not the model may see it. */
  tool(name: string): CatalogueTool | undefined {
    return this.#owner(name)?.tools.get(name);
  }

  /** A tool by the server's own name of it. */
  toolOf(server: string, tool: string): CatalogueTool | undefined {
    return this.#shelves.get(server)?.tools.get(catalogueName(server, tool));
  }

  prompts(): readonly CataloguePrompt[] {
    return this.#all((shelf) => shelf.prompts.values());
  }

  prompt(name: string): CataloguePrompt | undefined {
    return this.#owner(name)?.prompts.get(name);
  }

  resources(): readonly CatalogueResource[] {
    return this.#all((shelf) => shelf.resources);
  }

  templates(): readonly CatalogueTemplate[] {
    return this.#all((shelf) => shelf.templates);
  }

  /** The words of each server for the model about how to use it. */
  instructions(): readonly { readonly server: string; readonly text: string }[] {
    return [...this.#shelves].flatMap(([server, { listing }]) =>
      listing.instructions === undefined ? [] : [{ server, text: listing.instructions }],
    );
  }

  /** Items that were left out, with the reason. */
  problems(): readonly CatalogueProblem[] {
    return this.#all((shelf) => shelf.problems);
  }

  listingOf(server: string): Listing | undefined {
    return this.#shelves.get(server)?.listing;
  }

  /** Calls `listener` after every change with the server that changed. Returns the function that ends it. */
  watch(listener: (server: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #all<T>(of: (shelf: Shelf) => Iterable<T>): T[] {
    return [...this.#shelves.values()].flatMap((shelf) => [...of(shelf)]);
  }

  #owner(name: string): Shelf | undefined {
    const server = this.#owners.get(name);
    return server === undefined ? undefined : this.#shelves.get(server);
  }

  #forget(server: string): void {
    const shelf = this.#shelves.get(server);
    if (shelf === undefined) return;
    for (const name of shelf.tools.keys()) this.#owners.delete(name);
    for (const name of shelf.prompts.keys()) this.#owners.delete(name);
    this.#shelves.delete(server);
  }

  #changed(server: string): void {
    this.#tools = undefined;
    for (const listener of this.#listeners)
      attempt(
        () => listener(server),
        (error) => this.#onproblem?.(error),
      );
  }
}

function shelve(server: string, listing: Listing, isStale: boolean): Shelf {
  const problems: CatalogueProblem[] = [];
  const named = <Item extends { readonly name: string }, Kept>(
    what: string,
    items: readonly Item[],
    keep: (name: string, item: Item) => Kept,
  ): Map<string, Kept> => {
    const kept = new Map<string, Kept>();
    for (const item of items) {
      const name = catalogueName(server, item.name);
      if (kept.has(name))
        problems.push({
          server,
          text: `The ${what} ${JSON.stringify(item.name)} is listed twice: the first one is used.`,
        });
      else kept.set(name, keep(name, item));
    }
    return kept;
  };
  return {
    listing,
    problems,
    tools: named('tool', listing.tools, (name, tool) => ({ name, server, tool, isStale, ...visibilityOf(tool) })),
    prompts: named('prompt', listing.prompts, (name, prompt) => ({ name, server, prompt, isStale })),
    resources: listing.resources.map((resource) => ({ server, resource, isStale })),
    templates: listing.templates.map((template) => ({ server, template, isStale })),
  };
}

/** The extension for apps lets a server say who may use a tool. A list that cannot be read hides the tool from both. */
function visibilityOf(tool: Tool): Pick<CatalogueTool, 'isForModel' | 'isForApps'> {
  const { visibility } = uiOfTool(tool);
  return { isForModel: visibility.includes('model'), isForApps: visibility.includes('app') };
}
