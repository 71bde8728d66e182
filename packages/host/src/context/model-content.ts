import type { ContentBlock } from 'crosspoint/client';
import { byPriority, isFor } from './resource-search.ts';

/** A block of content and the server it came from. */
export interface PlacedContent {
  readonly server: string;
  readonly block: ContentBlock;
}

export interface ModelContent {
  /** The blocks for the model, in the order in which they were given. */
  readonly blocks: readonly PlacedContent[];
  /** Those that did not fit, the least important first. */
  readonly leftOut: readonly PlacedContent[];
  /** Those that are for the user alone. */
  readonly forUser: readonly PlacedContent[];
}

/**
 * Content of many servers as context for the model: blocks that are meant for the user alone are kept apart, and where there is more than
 * `maxCharacters`, the least important are left out.
 */
export function modelContent(given: readonly PlacedContent[], maxCharacters: number = Infinity): ModelContent {
  const forUser = given.filter(({ block }) => !isFor(block.annotations, 'assistant'));
  const candidates = given.filter(({ block }) => isFor(block.annotations, 'assistant'));
  const ranked = candidates.toSorted((one, other) => byPriority(one.block.annotations, other.block.annotations));
  const kept = new Set<PlacedContent>();
  const leftOut: PlacedContent[] = [];
  let room = maxCharacters;
  for (const one of ranked) {
    const size = JSON.stringify(one.block).length;
    if (size > room) leftOut.unshift(one);
    else {
      kept.add(one);
      room -= size;
    }
  }
  return { blocks: candidates.filter((one) => kept.has(one)), leftOut, forUser };
}
