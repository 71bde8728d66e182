import { LateOwn, type Late } from '../late.ts';
import { REPLAYS } from '../late-parts.ts';
import type { Replays } from './replay/replays.ts';

/** How the calls of one server ask that end with their questions: loaded with the first of them. */
export function lateReplays(...setup: ConstructorParameters<typeof Replays>): Late<Replays> {
  return new LateOwn(REPLAYS, ({ Replays: Own }) => new Own(...setup));
}
