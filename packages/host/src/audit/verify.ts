import type { Json } from '../values/json.ts';
import { entryKey, headKey, type ChainPlace } from './chain.ts';
import { ChainChecker, type AuditReport, type VerifyOptions } from './checker.ts';
import { BEGINNING, type Head, readEntry, readHead } from './entry.ts';
import { Seal, type AuditSecret } from './seal.ts';

const PAGE = 100;
const MAX_LINE = 4_194_304;

/** The head of a log at one moment; that of an empty log where there is none. */
export async function readHeadOf(place: ChainPlace): Promise<Head | undefined> {
  return readHead((await place.store.get(headKey(place)))?.value);
}

/** The values under the numbers of a range, in order; `undefined` where there is none. Entries that only the head has are taken from there. */
export async function* valuesOf(
  place: ChainPlace,
  head: Head,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<readonly [sequence: number, value: Json | undefined]> {
  const pending = new Map(head.pending.map((entry) => [entry.sequence, entry as unknown as Json]));
  for (let first = from; first <= to; first += PAGE) {
    const numbers = Array.from({ length: Math.min(PAGE, to - first + 1) }, (_, index) => first + index);
    const records = await Promise.all(numbers.map((number) => place.store.get(entryKey(place, number))));
    for (const [index, number] of numbers.entries()) yield [number, records[index]?.value ?? pending.get(number)];
  }
}

/** Checks a log in its store. */
export async function verifyChain(place: ChainPlace, seal: Seal, options: VerifyOptions): Promise<AuditReport> {
  const checker = new ChainChecker(seal, options);
  const head = await readHeadOf(place);
  if (head === undefined) {
    if ((await place.store.get(entryKey(place, 1))) !== undefined)
      checker.fault(0, 'of the log, its head, is missing, while there are entries');
    return checker.report();
  }
  for await (const [sequence, value] of valuesOf(place, head, { from: 1, to: head.sequence }))
    checker.entry(sequence, value);
  const beyond = await findBeyond(place);
  if (beyond !== undefined) checker.fault(beyond, 'stands behind the end that the head names: the head was set back');
  return checker.end(head);
}

/** The number of an entry behind the head that no writer has written just now. */
async function findBeyond(place: ChainPlace): Promise<number | undefined> {
  for (;;) {
    const before = await place.store.get(headKey(place));
    const next = (readHead(before?.value)?.sequence ?? 0) + 1;
    if ((await place.store.get(entryKey(place, next))) === undefined) return undefined;
    if ((await place.store.get(headKey(place)))?.version === before?.version) return next;
  }
}

export interface VerifyExportOptions extends VerifyOptions {
  /** The secrets that the log was sealed with. */
  readonly keys?: readonly AuditSecret[];
}

/**
 * Checks the lines that `AuditLog.export` gave, without the store. The last line holds the head, so that lines missing at the end are found.
 *
 * ```ts
 * import { createReadStream } from 'node:fs';
 * import { createInterface } from 'node:readline';
 * import { verifyExport } from '@crosspoint/host';
 *
 * const { ok, problems } = await verifyExport(createInterface({ input: createReadStream('audit.jsonl') }));
 * ```
 */
export async function verifyExport(
  lines: Iterable<string> | AsyncIterable<string>,
  { keys, ...options }: VerifyExportOptions = {},
): Promise<AuditReport> {
  const checker = new ChainChecker(new Seal(keys), options);
  let next = 1;
  let head: Head | undefined;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    if (head !== undefined) checker.fault(next, 'stands behind the line with the head');
    const value = parsed(line);
    const found = headIn(value);
    if (found !== undefined) {
      head = found;
      continue;
    }
    next = checkLine(checker, next, value);
  }
  if (head !== undefined) return checker.end(head);
  checker.fault(next, 'or the line with the head is missing: the export is cut short');
  return checker.report();
}

/** Looks at one line, and at the entries that are missing before it; returns the number that should come next. */
function checkLine(checker: ChainChecker, next: number, value: Json | undefined): number {
  const entry = value === undefined ? undefined : readEntry(value);
  if (entry === undefined) {
    checker.entry(next, value ?? null);
    return next + 1;
  }
  if (entry.sequence < next) {
    checker.fault(entry.sequence, 'is not in its place: lines were moved or inserted');
    return next;
  }
  if (entry.sequence > next) {
    checker.entry(next, undefined);
    if (entry.sequence > next + 1) checker.fault(entry.sequence - 1, 'is missing, too, with all in between');
  }
  checker.entry(entry.sequence, value);
  return entry.sequence + 1;
}

function headIn(value: Json | undefined): Head | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return readHead((value as { readonly head?: Json }).head);
}

function parsed(line: string): Json | undefined {
  if (line.length > MAX_LINE) return undefined;
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}

/** The lines of an export: an entry each, then the head. */
export async function* exportLines(place: ChainPlace): AsyncGenerator<string> {
  const head = await readHeadOf(place);
  if (head !== undefined)
    for await (const [, value] of valuesOf(place, head, { from: 1, to: head.sequence }))
      if (value !== undefined) yield JSON.stringify(value);
  const { sequence = 0, hash = BEGINNING, seal = '' } = head ?? {};
  yield JSON.stringify({ head: { sequence, hash, seal } });
}
