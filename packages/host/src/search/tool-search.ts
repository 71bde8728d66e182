import type { Catalogue, CatalogueTool } from '../catalogue/catalogue.ts';
import { FairChoice, type FoundTool } from './fair-choice.ts';
import { ToolIndex, type Ranked } from './tool-index.ts';
import { Visibility, type ConsentingHost } from './visibility.ts';

/** The part of a `Host` that is searched. */
export interface SearchedHost extends ConsentingHost {
  readonly catalogue: Catalogue;
}

export interface SearchOptions {
  /** The most tools that are found; 5 when absent, 50 at most. */
  readonly limit?: number | undefined;
  /** Finds tools of these servers alone. */
  readonly servers?: readonly string[] | undefined;
}

const LIMIT = 5;
const MAX_LIMIT = 50;
const MAX_QUERY = 1000;

/**
 * Finds tools of all servers by words: names, titles, descriptions and arguments of tools, names and instructions of servers. Tools that the policy
 * denies, and definitions that wait to be accepted, are not found. The index follows the catalogue until `close`.
 *
 * ```ts
 * import { ToolSearch } from '@crosspoint/host/search';
 *
 * const search = new ToolSearch(host);
 * for (const { tool } of await search.search('rename the branch', { limit: 3 })) console.log(tool.name);
 * ```
 */
export class ToolSearch {
  readonly host: SearchedHost;
  readonly #index: ToolIndex;
  readonly #visibility: Visibility;

  constructor(host: SearchedHost) {
    this.host = host;
    this.#index = new ToolIndex(host.catalogue);
    this.#visibility = new Visibility(host);
  }

  /**
   * The tools that fit best, best first. A name of the catalogue finds its tool. One server has at most three fifths of them where others have tools that
   * fit, too.
   */
  async search(query: string, options: SearchOptions = {}): Promise<readonly FoundTool[]> {
    if (typeof query !== 'string') throw new TypeError("A search needs words: search('rename the branch').");
    const limit = limitOf(options.limit);
    const wanted = options.servers === undefined ? undefined : new Set(options.servers);
    const ranked = this.#ranked(query).filter(({ server }) => wanted === undefined || wanted.has(server));
    const fair = new FairChoice(limit);
    for (const one of ranked) {
      if (fair.isFull) break;
      const tool = this.#allowed(one);
      if (tool !== undefined && fair.mayTake(one)) fair.take(one, (await this.isVisible(tool)) ? tool : undefined);
    }
    for (const one of fair.held) {
      const tool = this.#allowed(one);
      if (tool !== undefined && fair.mayReturn(one) && (await this.isVisible(tool))) fair.take(one, tool);
    }
    return fair.found;
  }

  /** Whether the model may be shown a tool: the policy has calls of it that are not denied, and its definition was seen first or accepted. */
  isVisible(tool: CatalogueTool): Promise<boolean> {
    return this.#visibility.isVisible(tool);
  }

  /** The mildest effect that the policy has for calls of a tool, before approvals. */
  effectOf(tool: CatalogueTool): ReturnType<Visibility['effectOf']> {
    return this.#visibility.effectOf(tool);
  }

  /** Ends following the catalogue. */
  close(): void {
    this.#index.close();
  }

  #ranked(query: string): readonly Ranked[] {
    const ranked = this.#index.rank(query.slice(0, MAX_QUERY));
    const named = this.host.catalogue.tool(query.trim());
    if (named === undefined) return ranked;
    const score = (ranked[0]?.score ?? 0) + 1;
    return [{ name: named.name, server: named.server, score }, ...ranked.filter(({ name }) => name !== named.name)];
  }

  /** The tool, unless the policy denies every call of it. */
  #allowed({ name }: Ranked): CatalogueTool | undefined {
    const tool = this.host.catalogue.tool(name);
    return tool !== undefined && this.effectOf(tool) !== 'deny' ? tool : undefined;
  }
}

function limitOf(limit: number = LIMIT): number {
  if (!Number.isInteger(limit) || limit < 1)
    throw new TypeError(`The limit of a search is a whole number from 1 to ${MAX_LIMIT}, not ${String(limit)}.`);
  return Math.min(limit, MAX_LIMIT);
}
