import type { CatalogueTool } from './catalogue.ts';
import { toAnthropicTools } from './exports/tool-formats.ts';

/** How much of a model's context the definitions of tools take. */
export interface TokenReport {
  readonly total: number;
  readonly servers: readonly {
    readonly server: string;
    readonly tokens: number;
    readonly tools: readonly { readonly name: string; readonly tokens: number }[];
  }[];
}

/** An estimate without a tokeniser: one token for every four characters. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

/**
 * The tokens of each tool's definition, by server, the most first. `count` is the tokeniser of the model in use; without it the numbers are
 * estimates.
 */
export function tokenReport(
  tools: readonly CatalogueTool[],
  count: (text: string) => number = estimateTokens,
): TokenReport {
  const servers = new Map<string, { name: string; tokens: number }[]>();
  for (const tool of tools) {
    const tokens = count(JSON.stringify(toAnthropicTools([tool]).tools[0]));
    const others = servers.get(tool.server);
    if (others === undefined) servers.set(tool.server, [{ name: tool.name, tokens }]);
    else others.push({ name: tool.name, tokens });
  }
  const most = <One extends { readonly tokens: number }>(list: One[]): One[] =>
    list.sort((one, other) => other.tokens - one.tokens);
  const rows = [...servers].map(([server, list]) => ({ server, tokens: sum(list), tools: most(list) }));
  return { total: sum(rows), servers: most(rows) };
}

const sum = (list: readonly { readonly tokens: number }[]): number =>
  list.reduce((total, { tokens }) => total + tokens, 0);
