import { estimateTokens } from '../catalogue/token-report.ts';
import type { ModelBlock, ModelMessage, ModelTool } from '../models/model.ts';
import type { RunEntry } from './journal.ts';
import { wholeText } from './result-text.ts';
import type { RunState } from './run-state.ts';

/** The characters that are left of an older result. */
const SHORT = 300;
/** A picture or a sound, whatever its size: an estimate. */
const MEDIA_TOKENS = 1600;

/** The tokens of a request, estimated. */
export function requestTokens(messages: readonly ModelMessage[], system: string, tools: readonly ModelTool[]): number {
  const content = messages.reduce((sum, message) => sum + blockTokens(message.content), 0);
  return content + estimateTokens(system) + estimateTokens(JSON.stringify(tools));
}

function blockTokens(blocks: readonly ModelBlock[]): number {
  return blocks.reduce((sum, block) => {
    if (block.type === 'tool-result') return sum + blockTokens(block.content);
    const hasBytes = block.type === 'image' || block.type === 'audio' || (block.type === 'resource' && block.blob);
    return sum + (hasBytes ? MEDIA_TOKENS : estimateTokens(JSON.stringify(block)));
  }, 0);
}

export interface Shortening {
  readonly entry: Extract<RunEntry, { readonly type: 'shortened' }>;
  /** Tokens that it frees, estimated. */
  readonly tokens: number;
}

/**
 * The results to shorten so that about so many tokens become free: the oldest first, and those of the last message only when nothing else is
 * left. `undefined` when there is nothing to shorten.
 */
export function shortening(state: RunState, wanted: number): Shortening | undefined {
  const turns = state.delivered();
  const older = collected(state, turns.slice(0, -1).flat(), wanted, () => SHORT);
  if (older !== undefined) return older;
  return collected(state, turns.at(-1) ?? [], wanted, (length) => Math.max(SHORT, Math.floor(length / 4)));
}

function collected(
  state: RunState,
  uses: readonly number[],
  wanted: number,
  target: (length: number) => number,
): Shortening | undefined {
  const cuts: { use: number; characters: number }[] = [];
  let tokens = 0;
  for (const use of uses) {
    if (tokens >= wanted) break;
    const content = state.content(use);
    const length = Math.min(state.cutOf(use) ?? Infinity, wholeText(content).length);
    const media = content.filter(({ type }) => type === 'image' || type === 'audio').length;
    const characters = target(length);
    if (length <= characters && media === 0) continue;
    cuts.push({ use, characters });
    tokens += Math.max(0, length - characters) / 4 + media * MEDIA_TOKENS;
  }
  return cuts.length === 0 ? undefined : { entry: { type: 'shortened', cuts }, tokens: Math.round(tokens) };
}
