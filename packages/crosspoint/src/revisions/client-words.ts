import { clientWords20250326 } from './2025-03-26/client.ts';
import { clientWords20250618 } from './2025-06-18/client.ts';
import { clientWords20251125 } from './2025-11-25/client.ts';
import { clientWords20260728 } from './2026-07-28/client.ts';
import type { ClientWords, Revision } from './revision.ts';

const words: ReadonlyMap<string, ClientWords> = /* @__PURE__ */ new Map([
  ['2026-07-28', clientWords20260728],
  ['2025-11-25', clientWords20251125],
  ['2025-06-18', clientWords20250618],
  ['2025-03-26', clientWords20250326],
]);

/** The words that a client of this revision needs beside those of both sides. The oldest has those of the one after it. */
export function clientWordsOf({ id }: Revision): ClientWords {
  return words.get(id) ?? clientWords20250326;
}
