import { isJsonObject, jsonSize, oneLine, report } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { LineRedaction, type KnownSecrets } from './line-redaction.ts';
import { FORMAT, VERSION, lineFault, type SessionHeader, type WrittenLine } from './session-line.ts';
import { SinkQueue, type SessionSink } from './sink-queue.ts';

interface RecordSessionOptions extends Pick<SessionHeader, 'hops' | 'by'> {
  /** Texts that are masked wherever they occur, from 4 characters on. A function is asked for each line; if it fails, the line is lost. */
  readonly secrets?: KnownSecrets;
  /** Characters that may wait for the sink. Lines that do not fit are lost and counted. Default: 32 Mi. */
  readonly maxQueued?: number;
  /** Characters of a line; of a longer message only the head is written. Default: 16 Mi, which is also the most. */
  readonly maxLine?: number;
  /** Called when the sink fails, which ends the recording, and when a line cannot be written. */
  readonly onerror?: (error: Error) => void;
}

/** The end of a recording. */
interface Recorded {
  /** Lines that were given to the sink, without the first and the last. */
  readonly lines: number;
  /** Lines that were lost. */
  readonly dropped: number;
  /** Whether the sink took everything. */
  readonly isComplete: boolean;
}

/** Writes one session file. */
export interface SessionWriter {
  /** Writes a line. Never throws and never waits. The secrets are masked, and the line is copied before this returns. */
  write(line: WrittenLine): void;
  /** Number of lines that were lost so far. */
  readonly dropped: number;
  /** Writes the last line and waits until the sink has taken everything, for 5 seconds at most. */
  close(): Promise<Recorded>;
}

const MI = 1024 * 1024;
const MAX_LINE = 16 * MI;
const MAX_QUEUED = 32 * MI;
const CLOSE_MS = 5000;
/** Characters of an id or a method that are kept of a message that is too long. */
const HEAD = 200;

/**
 * Begins a session file: what passes between clients and servers, one JSON object a line, with secrets masked. `readSession` reads it.
 *
 * ```ts
 * import { createWriteStream } from 'node:fs';
 * import { recordSession } from '@crosspoint/recording';
 *
 * const file = createWriteStream('session.jsonl', { mode: 0o600 });
 * const session = recordSession(file, { hops: { server: { transport: 'stdio' } }, secrets: [apiKey] });
 * session.write({ kind: 'message', hop: 'server', to: 'server', message: { jsonrpc: '2.0', id: 1, method: 'ping' } });
 * await session.close();
 * file.end();
 * ```
 */
export function recordSession(sink: SessionSink, options: RecordSessionOptions = {}): SessionWriter {
  return new Writer(sink, options);
}

class Writer implements SessionWriter {
  readonly #queue: SinkQueue;
  readonly #redaction: LineRedaction;
  readonly #options: RecordSessionOptions;
  readonly #maxLine: number;
  readonly #began = performance.now();
  #lines = 0;
  #dropped = 0;
  /** Lines lost since the last one that was written. */
  #missed = 0;
  #closing: Promise<Recorded> | undefined;

  constructor(sink: SessionSink, options: RecordSessionOptions) {
    this.#options = options;
    this.#maxLine = Math.min(options.maxLine ?? MAX_LINE, MAX_LINE);
    this.#redaction = new LineRedaction(options.secrets);
    this.#queue = new SinkQueue(sink, (error) => report(options.onerror, error));
    const { hops, by } = options;
    const started = new Date().toISOString();
    const header = {
      kind: 'session',
      format: FORMAT,
      version: VERSION,
      started,
      ...(by && { by }),
      ...(hops && { hops }),
    };
    this.#queue.push(asLine(this.#redaction.redacted(header)));
  }

  get dropped(): number {
    return this.#dropped;
  }

  write(line: WrittenLine): void {
    if (this.#closing !== undefined || this.#queue.failure !== undefined) return this.#lose();
    try {
      this.#put(this.#textOf(line));
    } catch (error) {
      this.#lose();
      report(this.#options.onerror, error);
    }
  }

  close(): Promise<Recorded> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<Recorded> {
    this.#tellMissed();
    const counts = { lines: this.#lines, dropped: this.#dropped };
    this.#queue.push(asLine({ kind: 'end', at: this.#now(), ...counts }));
    const isInTime = await within(CLOSE_MS, this.#queue.idle());
    return { ...counts, isComplete: isInTime && this.#queue.failure === undefined };
  }

  #textOf(line: WrittenLine): string {
    const { kind, at = this.#now(), ...rest }: JsonObject = line;
    const whole: JsonObject = { kind, at, ...rest };
    const fault =
      kind === 'dropped' || kind === 'end' ? `lines of kind "${kind}" are the writer's own` : lineFault(whole);
    if (fault !== undefined) throw new TypeError(`A line cannot be recorded: ${fault}.`);
    const text = jsonSize(whole, this.#maxLine) > this.#maxLine ? undefined : asLine(this.#redaction.redacted(whole));
    return text !== undefined && text.length <= this.#maxLine ? text : asLine(this.#redaction.redacted(headOf(whole)));
  }

  #put(text: string): void {
    const limit = this.#options.maxQueued ?? MAX_QUEUED;
    if (this.#queue.length + text.length > limit) return this.#lose();
    this.#tellMissed();
    this.#queue.push(text);
    this.#lines += 1;
  }

  #lose(): void {
    this.#dropped += 1;
    this.#missed += 1;
  }

  #tellMissed(): void {
    if (this.#missed === 0) return;
    this.#queue.push(asLine({ kind: 'dropped', at: this.#now(), lines: this.#missed }));
    this.#missed = 0;
    this.#lines += 1;
  }

  /** Milliseconds since the beginning, to the microsecond. */
  #now(): number {
    return Math.round((performance.now() - this.#began) * 1000) / 1000;
  }
}

function asLine(value: object): string {
  return `${oneLine(JSON.stringify(value))}\n`;
}

/** The part of a line that says what it was, where the whole is too long. */
function headOf({ kind, at, hop, to, connection, session, message }: JsonObject): JsonObject {
  const short = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, HEAD) : value);
  const places = Object.entries({ hop: short(hop), connection, session: short(session) });
  const { id, method } = isJsonObject(message) ? message : {};
  const members = Object.entries({ jsonrpc: '2.0', id: short(id), method: short(method) });
  return {
    kind: short(kind),
    at,
    ...present(places),
    ...(kind === 'message' && { to, message: present(members.filter(([, value]) => typeof value !== 'object')) }),
    ...((kind === 'stderr' || kind === 'note') && { text: '' }),
    cut: true,
  };
}

function present(members: [string, unknown][]): JsonObject {
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

async function within(ms: number, work: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
