import type { ModelInfo, ModelUsage } from './model.ts';

/** No tokens at all. */
export const NO_USAGE: ModelUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 };

const MILLION = 1_000_000;

/** The usage with its cost, where the prices of the model are known. */
export function priced(usage: ModelUsage, info: ModelInfo | undefined): ModelUsage {
  const prices = info?.prices;
  if (prices === undefined) return usage;
  const { input, output, cached = input, cacheWrite = input } = prices;
  const plain = Math.max(0, usage.inputTokens - usage.cachedTokens - usage.cacheWriteTokens);
  const sum =
    plain * input + usage.cachedTokens * cached + usage.cacheWriteTokens * cacheWrite + usage.outputTokens * output;
  return { ...usage, cost: sum / MILLION };
}

/** A count of a provider: a whole number of tokens, 0 for anything else. */
export function tokensOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
