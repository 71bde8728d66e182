import type { Store } from 'crosspoint/stores';
import { asError, attempt } from '../values/guard.ts';
import { AuditChain, type ChainPlace } from './chain.ts';
import type { AuditReport, VerifyOptions } from './checker.ts';
import { type AuditAnchor, type Draft, readEntry } from './entry.ts';
import type { AuditEntry, AuditEvent, AuditWriter } from './event.ts';
import { redactedEvent } from './redacted-event.ts';
import { Seal, type AuditSecret } from './seal.ts';
import { exportLines, readHeadOf, valuesOf, verifyChain } from './verify.ts';

export interface AuditLogOptions {
  /** The place where the log is kept; several processes may write one log. */
  readonly store: Store;
  /** Names the log in the store; `audit` when absent. */
  readonly name?: string;
  /** Secrets that make the log impossible to write anew for others, kept away from the store: the first seals, all are accepted. */
  readonly keys?: readonly AuditSecret[];
  /** Texts that are masked wherever they occur, asked for with each event: the secrets that the program knows. */
  readonly knownSecrets?: () => Iterable<string>;
  /** Told of a store that cannot be reached, of events that were lost for it, and of traces of tampering. */
  readonly onproblem?: (error: Error) => void;
  /** Characters of JSON that the details of an event may have; more is cut. 16,384 when absent. */
  readonly maxDetails?: number;
  /** Characters of JSON that may wait for the store; further events are lost, and their number is written. 16,777,216 when absent. */
  readonly maxQueued?: number;
  /** Milliseconds until a store that failed is tried again, doubled each time up to a hundredfold. 100 when absent. */
  readonly retryMs?: number;
  /** The time now, in milliseconds. */
  readonly now?: () => number;
}

export interface ReadFilter {
  /** The first number; 1 when absent. */
  readonly from?: number;
  /** The last number; the end when absent. */
  readonly to?: number;
  readonly type?: string;
  readonly server?: string;
}

const MAX_BATCH = 32;
const MAX_BATCH_SIZE = 131_072;
const MOST_BACKOFF = 100;
const FLUSH_MS = 5000;

interface Waiting {
  readonly draft: Draft;
  readonly size: number;
}

/**
 * An append-only log on a store. Each entry holds the hash of the one before, so a changed, removed, inserted or reordered entry is found by
 * `verify`. Secrets are masked before anything is written.
 *
 * ```ts
 * import { AuditLog } from '@crosspoint/host';
 * import { memoryStore } from 'crosspoint/stores';
 *
 * const audit = new AuditLog({ store: memoryStore(), onproblem: (error) => console.error(error.message) });
 * audit.write({ type: 'call', server: 'files', details: { tool: 'read_file' } });
 * console.log((await audit.verify()).ok);
 * await audit.close();
 * ```
 */
export class AuditLog implements AuditWriter {
  readonly #place: ChainPlace;
  readonly #seal: Seal;
  readonly #chain: AuditChain;
  readonly #options: AuditLogOptions;
  readonly #queue: Waiting[] = [];
  #queued = 0;
  /** The number of events in front that the chain was given; 0 when it has none. */
  #tried = 0;
  #lost = 0;
  #running: Promise<boolean> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#place = { store: options.store, name: options.name ?? 'audit' };
    this.#seal = new Seal(options.keys);
    this.#chain = new AuditChain(this.#place, this.#seal, (text) => this.#tampered(text));
  }

  /** Writes an event, behind those that were written before it. Never throws: `onproblem` is told. */
  write(event: AuditEvent): void {
    if (this.#isClosed) return this.#tell(new Error('The audit log is closed: an event was not written.'));
    try {
      this.#add(this.#redacted(event));
    } catch (error) {
      this.#tell(new Error('An event could not be written.', { cause: error }));
    }
    if (this.#timer === undefined) void this.#run();
  }

  /** Waits until everything is written. False when the store cannot be reached, or takes longer than `timeoutMs` (5,000 when absent). */
  async flush(timeoutMs: number = FLUSH_MS): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
    });
    const done = await Promise.race([this.#run(), late]);
    clearTimeout(timer);
    return done;
  }

  /** Writes what waits and takes no more. The store stays open. */
  async close(timeoutMs: number = FLUSH_MS): Promise<boolean> {
    this.#isClosed = true;
    const done = await this.flush(timeoutMs);
    clearTimeout(this.#timer);
    return done;
  }

  /** The entries of the log, in order. One that cannot be read any more is left out: `verify` finds it. */
  async *read({ from = 1, to = Infinity, type, server }: ReadFilter = {}): AsyncGenerator<AuditEntry> {
    await this.flush();
    const head = await readHeadOf(this.#place);
    if (head === undefined) return;
    const range = { from: Math.max(1, Math.ceil(from)), to: Math.min(to, head.sequence) };
    for await (const [, value] of valuesOf(this.#place, head, range)) {
      const entry = readEntry(value);
      if (entry === undefined || (type !== undefined && entry.event.type !== type)) continue;
      if (server === undefined || entry.event.server === server) yield entry;
    }
  }

  /** Looks for entries that were changed, removed, inserted or moved, and for a removed end. */
  async verify(options: VerifyOptions = {}): Promise<AuditReport> {
    await this.flush();
    return verifyChain(this.#place, this.#seal, options);
  }

  /** The end of the log, to be kept elsewhere and given to `verify` later: a log that was cut or written anew does not have it. */
  async anchor(): Promise<AuditAnchor | undefined> {
    await this.flush();
    const head = await readHeadOf(this.#place);
    return head && { sequence: head.sequence, hash: head.hash };
  }

  /** The whole log as lines of JSON, without line ends; `verifyExport` checks them. */
  async *export(): AsyncGenerator<string> {
    await this.flush();
    yield* exportLines(this.#place);
  }

  #redacted(event: AuditEvent): AuditEvent {
    const { knownSecrets, maxDetails = 16_384 } = this.#options;
    try {
      return redactedEvent(event, { maxDetails, ...(knownSecrets && { knownSecrets }) });
    } catch (error) {
      this.#tell(new Error('The details of an event could not be written.', { cause: error }));
      return { type: 'audit', details: { unwritten: true } };
    }
  }

  #add(event: AuditEvent): void {
    const draft = { at: new Date((this.#options.now ?? Date.now)()).toISOString(), event };
    const size = JSON.stringify(draft).length;
    if (this.#queued + size > (this.#options.maxQueued ?? 16_777_216)) {
      if (this.#lost === 0)
        this.#tell(new Error('Too many events wait for the store of the audit log: further ones are lost.'));
      this.#lost += 1;
      return;
    }
    this.#queue.push({ draft, size });
    this.#queued += size;
  }

  #run(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#drain();
    return this.#running;
  }

  /** Writes what waits, in order. Resolves with whether nothing is left. */
  async #drain(): Promise<boolean> {
    // Events of one turn of the event loop become one batch.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#batch();
      try {
        await this.#chain.append(batch.map(({ draft }) => draft));
      } catch (error) {
        return this.#retryLater(error);
      }
      this.#failures = 0;
      this.#queue.splice(0, batch.length);
      this.#tried = 0;
      for (const { size } of batch) this.#queued -= size;
      this.#tellLost();
      if (this.#queue.length === 0) await this.#chain.settle().catch(() => {});
    }
    this.#running = undefined;
    return true;
  }

  /** The events in front. After a failure they are the same ones again, as the chain needs it. */
  #batch(): readonly Waiting[] {
    let size = 0;
    let count = this.#tried;
    while (this.#tried === 0 && count < Math.min(MAX_BATCH, this.#queue.length)) {
      size += this.#queue[count]?.size ?? 0;
      if (count > 0 && size > MAX_BATCH_SIZE) break;
      count += 1;
    }
    this.#tried = count;
    return this.#queue.slice(0, count);
  }

  #retryLater(error: unknown): false {
    this.#running = undefined;
    this.#tell(asError(error));
    const { retryMs = 100 } = this.#options;
    const delay = retryMs * Math.min(2 ** this.#failures, MOST_BACKOFF);
    this.#failures += 1;
    if (this.#isClosed) return false;
    this.#timer = setTimeout(() => void this.#run(), delay);
    // A store that is gone does not keep the process alive.
    this.#timer.unref();
    return false;
  }

  #tellLost(): void {
    if (this.#lost === 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    this.#add({ type: 'audit', details: { lost } });
  }

  /** Traces of tampering are written down as well: whoever removes them changes the chain once more. */
  #tampered(text: string): void {
    this.#tell(new Error(text));
    this.#add({ type: 'audit', details: { problem: text } });
  }

  #tell(error: Error): void {
    // An event is not lost because it could not be told that another was.
    attempt(() => this.#options.onproblem?.(error));
  }
}
