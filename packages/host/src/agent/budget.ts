import type { ModelInfo, ModelUsage } from '../models/model.ts';
import { NO_USAGE } from '../models/usage.ts';
import type { KeptBudget } from './journal.ts';
import { RunStop } from './run-stop.ts';
import type { Budget } from './run.ts';

export const NO_COST: ModelUsage = { ...NO_USAGE, cost: 0 };

const ROUNDS = 50;
const MEMBERS = ['rounds', 'tokens', 'cost', 'ms'] as const;

/** The sum of two usages. An unknown cost counts as none. */
export function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    cost: (one.cost ?? 0) + (other.cost ?? 0),
  };
}

/** Budgets as one, the later ones first in rank. Throws a `TypeError` for a limit that is none. */
export function keptBudget(...budgets: readonly (Budget | KeptBudget | undefined)[]): KeptBudget {
  const kept: { -readonly [Member in keyof KeptBudget]: KeptBudget[Member] } = { rounds: ROUNDS };
  for (const budget of budgets)
    for (const member of MEMBERS) {
      const limit = budget?.[member];
      if (limit === undefined) continue;
      if (limit !== null && !(typeof limit === 'number' && limit > 0))
        throw new TypeError(`The ${member} of a budget are more than 0, not ${String(limit)}.`);
      kept[member] = limit === Infinity ? null : limit;
    }
  return kept;
}

export interface Spent {
  readonly usage: ModelUsage;
  readonly rounds: number;
  readonly budget: KeptBudget;
}

/** Throws `RunStop` when nothing may be spent any more. */
export function checkBudget({ budget, usage, rounds }: Spent, info: ModelInfo): void {
  const { rounds: most, tokens, cost } = budget;
  if (typeof cost === 'number' && info.prices === undefined)
    throw new TypeError(
      `The budget has a limit on money, and the prices of the model "${info.name}" are not known: give them to its provider, or leave "cost" out.`,
    );
  if (typeof most === 'number' && rounds >= most)
    throw new RunStop('rounds', `The model was asked ${rounds} times, which is the limit of the run.`);
  if (typeof tokens === 'number' && tokensOf(usage) >= tokens)
    throw new RunStop('tokens', `The run has used ${tokensOf(usage)} tokens of ${tokens}.`);
  if (typeof cost === 'number' && (usage.cost ?? 0) >= cost)
    throw new RunStop('cost', `The run has cost $${(usage.cost ?? 0).toFixed(4)} of $${cost}.`);
}

/** The tokens that an answer may have at most; 0 or less when none are left. */
export function answerTokens({ budget, usage }: Spent, most: number): number {
  return typeof budget.tokens === 'number' ? Math.min(most, Math.floor(budget.tokens - tokensOf(usage))) : most;
}

const tokensOf = ({ inputTokens, outputTokens }: ModelUsage): number => inputTokens + outputTokens;
