import type { CallToolResult } from 'crosspoint/client';
import type { CatalogueTool } from '../catalogue/catalogue.ts';
import { estimateTokens, tokenReport } from '../catalogue/token-report.ts';
import { isObject } from '../values/json.ts';
import { isAlways, type AlwaysRule } from './always-rule.ts';
import { SEARCH_TOOL, cut, searchTool, toolLine } from './search-tool.ts';
import type { ToolSearch } from './tool-search.ts';
import { MAX_LOADED, loadedIn, type ToolViewState } from './view-state.ts';

export interface ToolViewOptions {
  /** Tools that are loaded from the beginning, beside those of servers whose entry says `alwaysLoad`. */
  readonly always?: readonly AlwaysRule[] | undefined;
  /** Tokens that all definitions may take together; 12,000 when absent. Tools that are always loaded take two thirds of them at most. */
  readonly maxTokens?: number | undefined;
  /** Shows all tools, and no search, as long as they take no more tokens than this; 2,000 when absent. */
  readonly showAllBelow?: number | undefined;
  /** Tools that one search of the model loads; 3 when absent. */
  readonly loadsPerSearch?: number | undefined;
  /** The tokeniser of the model in use; one token for every four characters when absent. */
  readonly count?: ((text: string) => number) | undefined;
  /** The name of the search tool, without `__`; `search_tools` when absent. */
  readonly searchToolName?: string | undefined;
  /** The `state` of a view that was saved. */
  readonly state?: unknown;
}

/** How much of a context a view takes. */
export interface ToolViewReport {
  /** Tokens of the tools that the model sees now. */
  readonly tokens: number;
  /** Tokens of all tools that it could see. */
  readonly allTokens: number;
  readonly maxTokens: number;
  /** Names of tools that a rule loads always, and for which there was no room. */
  readonly leftOut: readonly string[];
}

const MAX_TOKENS = 12_000;
const SHOW_ALL_BELOW = 2000;
const LOADS = 3;
const FOUND = 5;
const ALWAYS_SHARE = 2 / 3;
const MAX_SHOWN = 100;
/** Tools above which it is not tried to show them all. */
const MOST_SHOWN = 100;
const TOOL_NAME = /^(?!.*__)[A-Za-z0-9_-]{1,64}$/;

/**
 * The tools that a model sees in one conversation: a tool to search with, those that are always loaded, and those that it has found. A tool that was
 * loaded stays loaded. The tools are items of the catalogue, so every export takes them.
 *
 * ```ts
 * import { ToolSearch, ToolView } from '@crosspoint/host/search';
 *
 * const view = new ToolView(new ToolSearch(host), { always: [{ server: 'clock' }] });
 * const { tools } = toAnthropicTools(await view.tools());
 * // … the model calls `name` with `args`
 * const result = view.answers(name) ? await view.answer(args) : await host.callTool(name, args);
 * ```
 */
export class ToolView {
  readonly #search: ToolSearch;
  readonly #options: ToolViewOptions;
  readonly #name: string;
  readonly #maxTokens: number;
  readonly #loaded: Set<string>;
  /** Tokens of the search tool as it was shown last. */
  #searchTokens = 0;
  readonly #tokens = new WeakMap<CatalogueTool, number>();

  constructor(search: ToolSearch, options: ToolViewOptions = {}) {
    const { searchToolName = SEARCH_TOOL, maxTokens = MAX_TOKENS, loadsPerSearch = LOADS } = options;
    if (!TOOL_NAME.test(searchToolName))
      throw new TypeError(
        `${JSON.stringify(searchToolName)} is no name for a search tool: up to 64 letters, digits, "_" and "-", and no "__", which names of servers' tools have.`,
      );
    if (!(maxTokens > 0))
      throw new TypeError(`The maxTokens of a tool view are more than 0, not ${String(maxTokens)}.`);
    if (!Number.isInteger(loadsPerSearch) || loadsPerSearch < 1 || loadsPerSearch > FOUND)
      throw new TypeError(`The loadsPerSearch of a tool view are 1 to ${FOUND}, not ${String(loadsPerSearch)}.`);
    this.#search = search;
    this.#options = { ...options, loadsPerSearch };
    this.#name = searchToolName;
    this.#maxTokens = maxTokens;
    this.#loaded = options.state === undefined ? new Set() : loadedIn(options.state);
  }

  /** For saving: `JSON.stringify(view.state)`, and later `new ToolView(search, { state: JSON.parse(text) })`. */
  get state(): ToolViewState {
    return { version: 1, loaded: [...this.#loaded] };
  }

  /**
   * The tools that the model sees now: the search tool, then those that are always loaded by name, then the loaded ones in the order in which they came,
   * so that the beginning stays the same. All tools and no search, where they take few tokens.
   */
  async tools(): Promise<readonly CatalogueTool[]> {
    const all = await this.#fewTools();
    if (all !== undefined) {
      for (const { name } of all) this.#loaded.add(name);
      return all;
    }
    const { taken } = await this.#always();
    const always = new Set(taken.map(({ name }) => name));
    const loaded = await this.#visible([...this.#loaded].filter((name) => !always.has(name)));
    return [await this.#searchTool(), ...taken, ...loaded];
  }

  /** Whether a call by this name is one of the search tool, which `answer` answers. */
  answers(name: string): boolean {
    return name === this.#name;
  }

  /** Answers a call of the search tool: finds tools, loads the best, and names them. Bad arguments are a result with `isError`. */
  async answer(args: unknown): Promise<CallToolResult> {
    const { query, servers } = isObject(args) ? args : {};
    if (typeof query !== 'string' || query.trim() === '')
      return failed(`${this.#name} needs a "query": a few words about what is to be done.`);
    if (servers !== undefined && !(Array.isArray(servers) && servers.every((one) => typeof one === 'string')))
      return failed(`The "servers" of ${this.#name} are a list of names, or left out.`);
    const known = this.#search.host.catalogue.servers();
    const unknown = servers?.find((one) => !known.includes(one));
    if (unknown !== undefined)
      return failed(
        `There is no server ${cut(JSON.stringify(unknown), MAX_SHOWN)}. Leave "servers" out to search all.`,
      );
    const found = await this.#search.search(query, { limit: FOUND, servers });
    const { loadsPerSearch = LOADS } = this.#options;
    const answer: Answer = { loaded: [], full: [], others: [] };
    for (const [at, { tool }] of found.entries()) {
      const isTried = at < loadsPerSearch || this.#loaded.has(tool.name);
      const place = !isTried ? 'others' : (await this.load(tool.name)) ? 'loaded' : 'full';
      answer[place].push(tool);
    }
    return { content: [{ type: 'text', text: textOf(answer) }] };
  }

  /** Loads a tool by its name in the catalogue. False when there is no such tool that the model may see, or no room for it. */
  async load(name: string): Promise<boolean> {
    const tool = this.#search.host.catalogue.tool(name);
    if (tool === undefined || !(await this.#search.isVisible(tool))) return false;
    const { taken } = await this.#always();
    if (this.#searchTokens === 0) await this.#searchTool();
    if (this.#loaded.has(name) || taken.includes(tool)) return true;
    const shown = [...taken, ...[...this.#loaded].flatMap((one) => this.#search.host.catalogue.tool(one) ?? [])];
    const tokens = this.#searchTokens + this.#sum(shown) + this.#tokensOf(tool);
    if (tokens > this.#maxTokens || this.#loaded.size >= MAX_LOADED) return false;
    this.#loaded.add(name);
    return true;
  }

  /** Tokens with and without the search. */
  async report(): Promise<ToolViewReport> {
    const [tools, { leftOut }] = [await this.tools(), await this.#always()];
    const all = this.#search.host.catalogue.tools().filter((tool) => this.#search.effectOf(tool) !== 'deny');
    return {
      tokens: this.#sum(tools),
      allTokens: this.#sum(all),
      maxTokens: this.#maxTokens,
      leftOut: leftOut.map(({ name }) => name),
    };
  }

  async #searchTool(): Promise<CatalogueTool> {
    const tool = await searchTool(this.#name, this.#search);
    this.#searchTokens = this.#tokensOf(tool);
    return tool;
  }

  /** All tools, in the order of their names, where they are few enough to be shown. */
  async #fewTools(): Promise<readonly CatalogueTool[] | undefined> {
    const most = Math.min(this.#options.showAllBelow ?? SHOW_ALL_BELOW, this.#maxTokens);
    const tools = this.#search.host.catalogue.tools();
    if (tools.length > MOST_SHOWN || !(this.#sum(tools) <= most)) return undefined;
    return this.#visible(tools.map(({ name }) => name).sort());
  }

  /** The tools that rules load, by name, as far as there is room. */
  async #always(): Promise<{ readonly taken: CatalogueTool[]; readonly leftOut: CatalogueTool[] }> {
    const { catalogue, servers } = this.#search.host;
    const rules = this.#options.always ?? [];
    const wanted = catalogue.servers().flatMap((server) => {
      const tools = catalogue.toolsOf(server);
      if (servers.get(server)?.entry.alwaysLoad === true) return tools;
      return rules.length === 0
        ? []
        : tools.filter((tool) => isAlways(rules, tool, (one) => this.#search.effectOf(one)));
    });
    const room = this.#maxTokens * ALWAYS_SHARE;
    const [taken, leftOut]: [CatalogueTool[], CatalogueTool[]] = [[], []];
    let tokens = 0;
    for (const tool of wanted.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (tokens + this.#tokensOf(tool) > room) leftOut.push(tool);
      else if (await this.#search.isVisible(tool)) {
        tokens += this.#tokensOf(tool);
        taken.push(tool);
      }
    }
    return { taken, leftOut };
  }

  async #visible(names: readonly string[]): Promise<CatalogueTool[]> {
    const found = names.flatMap((name) => this.#search.host.catalogue.tool(name) ?? []);
    const shown = await Promise.all(found.map((tool) => this.#search.isVisible(tool)));
    return found.filter((_, at) => shown[at]);
  }

  #sum(tools: readonly CatalogueTool[]): number {
    return tools.reduce((sum, tool) => sum + this.#tokensOf(tool), 0);
  }

  #tokensOf(tool: CatalogueTool): number {
    const known = this.#tokens.get(tool);
    if (known !== undefined) return known;
    const { total } = tokenReport([tool], this.#options.count ?? estimateTokens);
    if (!(total >= 0))
      throw new TypeError(`The tokeniser of a tool view counted ${String(total)} tokens: it returns a number.`);
    this.#tokens.set(tool, total);
    return total;
  }
}

/** The tools that a search found: loaded, without room, and those that fit less. */
type Answer = Readonly<Record<'loaded' | 'full' | 'others', CatalogueTool[]>>;

function textOf({ loaded, full, others }: Answer): string {
  const part = (tools: readonly CatalogueTool[], intro: string): string[] =>
    tools.length === 0 ? [] : [`${intro}\n${tools.map(toolLine).join('\n')}`];
  const parts = [
    ...part(loaded, 'These tools can be called now:'),
    ...part(full, 'There is no room to load these, because the definitions of tools take too many tokens:'),
    ...part(others, 'These fit less and are not loaded. Search for the name of one to load it:'),
  ];
  return parts.join('\n\n') || 'No tool fits. Try other words, or fewer.';
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
