import {
  DEFAULT_MAX_MESSAGE_BYTES,
  errorMessage,
  isJsonObject,
  LineSplitter,
  report,
  type BadLine,
} from 'crosspoint/internal';
import { isNestedBeyond } from './nesting.ts';
import { SessionFileError } from './session-file-error.ts';
import { FORMAT, MAJOR, VERSION, lineFault, type SessionHeader, type SessionLine } from './session-line.ts';

/** Text or bytes of a file: whole, or in pieces as a stream of Node or of the web gives them. */
type SessionSource = string | Uint8Array | Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

interface ReadSessionOptions {
  /** Bytes that a line may have. Default: 64 MiB. */
  readonly maxLineBytes?: number;
  /** Called for each bad line after the first line, and reading goes on. Without it a bad line ends the reading with this error. */
  readonly onbadline?: (error: SessionFileError) => void;
}

/** How a file ends. */
interface SessionEnd {
  /** Whether the file was closed. A writer that was killed, or still writes, leaves it open. */
  readonly isComplete: boolean;
  /** The last line, where its writing was interrupted. It is left out. */
  readonly torn: { readonly line: number } | undefined;
  /** Lines that the writer lost, as the file says. */
  readonly dropped: number;
}

/** A session file that is being read. It can be iterated once. */
export interface SessionFile extends AsyncIterable<SessionLine> {
  /** The first line: version, beginning, hops. */
  readonly header: SessionHeader;
  /** Known when all lines have been read. */
  readonly end: SessionEnd | undefined;
}

/** Levels that a line may be nested: twice those that are written. */
const MAX_DEPTH = 256;

/**
 * Opens a session file and reads it line by line; only one line is in memory at a time. Rejects with a `SessionFileError` where it is no session file or one of a
 * newer major version.
 *
 * ```ts
 * import { createReadStream } from 'node:fs';
 * import { readSession } from '@crosspoint/recording';
 *
 * const session = await readSession(createReadStream('session.jsonl'));
 * for await (const line of session) if (line.kind === 'message') console.log(line.at, line.hop, line.message);
 * if (!session.end?.isComplete) console.log('The recording was interrupted.');
 * ```
 */
export async function readSession(source: SessionSource, options: ReadSessionOptions = {}): Promise<SessionFile> {
  const rows = rowsOf(source, options.maxLineBytes ?? DEFAULT_MAX_MESSAGE_BYTES);
  try {
    const first = await rows.next();
    const header = headerOf(first.done ? undefined : first.value);
    return new Reading(header, rows, options.onbadline);
  } catch (error) {
    await rows.return(undefined);
    throw error;
  }
}

class Reading implements SessionFile {
  readonly header: SessionHeader;
  end: SessionEnd | undefined;
  readonly #rows: AsyncGenerator<Row>;
  readonly #onbadline: ((error: SessionFileError) => void) | undefined;

  constructor(header: SessionHeader, rows: AsyncGenerator<Row>, onbadline: ReadSessionOptions['onbadline']) {
    this.header = header;
    this.#rows = rows;
    this.#onbadline = onbadline;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SessionLine> {
    let dropped = 0;
    let isComplete = false;
    let torn: SessionEnd['torn'];
    for await (const row of this.#rows) {
      const line: SessionLine | SessionFileError = isComplete
        ? new SessionFileError(fault(row.line, 'it comes after the end'), row.line)
        : lineOf(row);
      if (!(line instanceof SessionFileError)) {
        if (line.kind === 'dropped') dropped += line.lines;
        isComplete = line.kind === 'end';
        yield line;
      } else if (row.isTorn) torn = { line: row.line };
      else if (this.#onbadline) report(this.#onbadline as (error: Error) => void, line);
      else throw line;
    }
    this.end = { isComplete, torn, dropped };
  }
}

/** One line of the file, blank ones left out. */
interface Row {
  readonly line: number;
  readonly text: string | undefined;
  readonly bad: BadLine | undefined;
  /** Whether the file ends without the end of this line. */
  readonly isTorn: boolean;
}

const NEWLINE = 0x0a;

async function* rowsOf(source: SessionSource, maxBytes: number): AsyncGenerator<Row, undefined> {
  let line = 1;
  let read: { text?: string; bad?: BadLine } | undefined;
  // Given one line at a time, so that its number is known and no other waits.
  const splitter = new LineSplitter(
    { line: (text) => (read = { text }), badLine: (bad) => (read = { bad }) },
    maxBytes,
  );
  const take = (isTorn: boolean): Row | undefined => {
    const row = read && { line, text: read.text, bad: read.bad, isTorn };
    read = undefined;
    return row;
  };
  for await (const chunk of piecesOf(source)) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      splitter.push(bytes.subarray(from, end + 1));
      const row = take(false);
      if (row) yield row;
      line += 1;
      from = end + 1;
    }
    splitter.push(bytes.subarray(from));
  }
  splitter.end();
  const last = take(true);
  if (last) yield last;
}

function piecesOf(source: SessionSource): Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string> {
  return typeof source === 'string' || source instanceof Uint8Array ? [source] : source;
}

const fault = (line: number, reason: string): string => `Line ${line} of the session file is bad: ${reason}.`;

function lineOf(row: Row): SessionLine | SessionFileError {
  const value = valueOf(row);
  if (value instanceof SessionFileError) return value;
  const reason = lineFault(value);
  return reason === undefined ? (value as SessionLine) : new SessionFileError(fault(row.line, reason), row.line);
}

function valueOf({ line, text, bad }: Row): unknown {
  if (bad?.kind === 'too-large')
    return new SessionFileError(
      fault(line, `it has more than ${bad.limit} bytes; maxLineBytes sets how many a line may have`),
      line,
    );
  if (text === undefined) return new SessionFileError(fault(line, 'it is not valid UTF-8'), line);
  if (isNestedBeyond(text, MAX_DEPTH))
    return new SessionFileError(fault(line, `it is nested more than ${MAX_DEPTH} levels deep`), line);
  try {
    return JSON.parse(text);
  } catch (error) {
    return new SessionFileError(fault(line, `it is not JSON (${errorMessage(error)})`), line, { cause: error });
  }
}

const NO_SESSION = 'This is no session file';

function headerOf(row: Row | undefined): SessionHeader {
  if (row === undefined) throw new SessionFileError(`${NO_SESSION}: it is empty.`, 1);
  const { line } = row;
  const value = valueOf(row);
  if (value instanceof SessionFileError)
    throw new SessionFileError(`${NO_SESSION}: its first line is no header. ${value.message}`, line, { cause: value });
  if (!isJsonObject(value) || value['kind'] !== 'session' || value['format'] !== FORMAT)
    throw new SessionFileError(`${NO_SESSION}: its first line has no "format": "${FORMAT}".`, line);
  const { version, started, hops } = value;
  const [, major] = /^(\d{1,6})\.\d{1,6}$/.exec(typeof version === 'string' ? version.slice(0, 20) : '') ?? [];
  if (major === undefined)
    throw new SessionFileError('The header of the session file has no version such as "1.0".', line);
  if (Number(major) !== MAJOR)
    throw new SessionFileError(
      `The session file has version ${String(version)}, and this program reads ${VERSION} and other versions that begin with ${MAJOR}: update crosspoint to read it.`,
      line,
    );
  if (typeof started !== 'string' || Number.isNaN(Date.parse(started)))
    throw new SessionFileError('The header of the session file does not say when the recording "started".', line);
  if (hops !== undefined && !(isJsonObject(hops) && Object.values(hops).every(isJsonObject)))
    throw new SessionFileError('The "hops" in the header of the session file are no objects by name.', line);
  return value as unknown as SessionHeader;
}
