import type { CatalogueTool } from '../catalogue/catalogue.ts';
import type { Effect } from '../consent/decision.ts';
import { MAX_GLOB_TEXT, matchesGlob } from '../values/glob.ts';

/** Chooses tools that are always loaded. A tool is chosen when every member that the rule has fits. */
export interface AlwaysRule {
  /** Patterns of names of servers; `*` stands for any characters. */
  readonly server?: string | readonly string[];
  /** Patterns of the tool's own name. */
  readonly tool?: string | readonly string[];
  /** The mildest effect that the policy has for calls of the tool: with `allow`, the tools that it lets be called without a question. */
  readonly effect?: Effect;
}

/** Whether a rule chooses the tool. */
export function isAlways(
  rules: readonly AlwaysRule[],
  found: CatalogueTool,
  effectOf: (tool: CatalogueTool) => Effect,
): boolean {
  return rules.some(
    ({ server, tool, effect }) =>
      (server === undefined || fits(server, found.server)) &&
      (tool === undefined || fits(tool, found.tool.name)) &&
      (effect === undefined || effectOf(found) === effect),
  );
}

function fits(patterns: string | readonly string[], text: string): boolean {
  const list = typeof patterns === 'string' ? [patterns] : patterns;
  return text.length <= MAX_GLOB_TEXT && list.some((pattern) => matchesGlob(pattern, text));
}
