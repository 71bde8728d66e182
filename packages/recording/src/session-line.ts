import { isJsonObject } from 'crosspoint/internal';
import type { JsonObject, JSONRPCMessage } from 'crosspoint';

/** Name of the format, in the first line of every file. */
export const FORMAT = 'crosspoint-session';
/** Version that is written. Every version with the same first number can be read. */
export const VERSION = '1.0';
export const MAJOR = 1;

/** The first line of a session file. */
export interface SessionHeader {
  readonly kind: 'session';
  readonly format: 'crosspoint-session';
  /** Major and minor version, such as `1.0`. */
  readonly version: string;
  /** When the recording began, in ISO 8601; the times of all other lines count from here. */
  readonly started: string;
  /** The hops by name, each with what the program says of it, such as its transport. */
  readonly hops?: Readonly<Record<string, JsonObject>>;
  /** The program that wrote the file. */
  readonly by?: { readonly name: string; readonly version?: string };
  readonly [member: string]: unknown;
}

interface OnHop {
  /** Name of the connection that was recorded: `client`, `server`, or any other. */
  readonly hop: string;
  /** Tells the connections of one hop apart, where there are several. */
  readonly connection?: number;
  /** Session id when it is written. In a file, its short digest: an id itself would let its reader into the session. */
  readonly session?: string;
}

/** A message as it passed, with its secrets masked. */
interface MessageLine extends OnHop {
  readonly kind: 'message';
  /** The side of the hop that it went to. */
  readonly to: 'client' | 'server';
  /** Decoded JSON whose shape is unchecked. */
  readonly message: JSONRPCMessage;
  /** Set where the message was too long: its head alone is here. */
  readonly cut?: true;
}

type ProgramLine =
  | MessageLine
  | (OnHop & { readonly kind: 'connected' })
  | (OnHop & { readonly kind: 'closed'; readonly reason?: string })
  | (OnHop & { readonly kind: 'stderr'; readonly text: string })
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: `${string}.${string}` };

type WriterLine =
  /** Lines that were lost here, because they came faster than they could be written or could not be written at all. */
  | { readonly kind: 'dropped'; readonly lines: number }
  /** The last line of a file that was closed: how many lines there are before it, and how many were lost. */
  | { readonly kind: 'end'; readonly lines: number; readonly dropped: number };

/**
 * One line of a session file after the first, by its `kind`; `at` is in milliseconds since the recording began. Kinds without a dot belong to the format, those with a dot to
 * programs (`host.call`). A file of a later minor version may have kinds that are not listed here; they are read like those of programs.
 */
export type SessionLine = (ProgramLine | WriterLine) & { readonly at: number; readonly [member: string]: unknown };

/** `SessionLine` as programs write it: the time is that of writing unless they know better. */
export type WrittenLine = ProgramLine & { readonly at?: number; readonly [member: string]: unknown };

type Check = (line: JsonObject) => string | undefined;

const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const textFault =
  (...names: string[]): Check =>
  (line) =>
    names.map((name) => (typeof line[name] === 'string' ? undefined : `"${name}" is no text`)).find(Boolean);
const countFault =
  (...names: string[]): Check =>
  (line) =>
    names.map((name) => (isCount(line[name]) ? undefined : `"${name}" is no count`)).find(Boolean);

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  [
    'message',
    (line) => {
      if (line['to'] !== 'client' && line['to'] !== 'server') return '"to" is neither "client" nor "server"';
      return isJsonObject(line['message']) ? textFault('hop')(line) : '"message" is no object';
    },
  ],
  ['connected', textFault('hop')],
  ['closed', textFault('hop')],
  ['stderr', textFault('hop', 'text')],
  ['note', textFault('text')],
  ['dropped', countFault('lines')],
  ['end', countFault('lines', 'dropped')],
]);

/** The reason why a value is no line of a session file; a kind that is not known is one. */
export function lineFault(line: unknown): string | undefined {
  if (!isJsonObject(line)) return 'it is no object';
  const { kind, at, connection, session } = line;
  if (typeof kind !== 'string' || kind === '') return 'it has no "kind"';
  if (kind === 'session') return 'only the first line may be a header';
  if (typeof at !== 'number' || !Number.isFinite(at) || at < 0) return '"at" is no number of milliseconds';
  if (connection !== undefined && !isCount(connection)) return '"connection" is no count';
  if (session !== undefined && typeof session !== 'string') return '"session" is no text';
  return CHECKS.get(kind)?.(line);
}
