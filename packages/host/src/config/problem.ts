import { visibleLine } from '../values/visible-text.ts';

/** Kinds of things that are wrong with a configuration. */
export type ProblemCode =
  | 'syntax'
  | 'size'
  | 'unreadable'
  | 'unknown-format'
  | 'type'
  | 'missing'
  | 'ambiguous'
  | 'unsupported'
  | 'ignored'
  | 'whitespace'
  | 'reference';

/** One thing that is wrong with a configuration. No message holds a value of the file, only names. */
export interface Problem {
  readonly code: ProblemCode;
  /** `error`: the server, or the file, is not used. `warning`: it is, and may not do what its author meant. */
  readonly severity: 'error' | 'warning';
  /** The fault and its remedy, without the place. */
  readonly message: string;
  readonly file?: string;
  /** JSON pointer into the file. */
  readonly pointer?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 code units. */
  readonly column?: number;
  readonly server?: string;
}

/** A field that another format has no place for. */
export interface LostField {
  /** JSON pointer into the file that it was read from. */
  readonly pointer: string;
  readonly server?: string;
  readonly why: string;
}

/** A problem on one line: `/repo/.mcp.json:3:7 /mcpServers/a/args: must be a list of texts.` Unseen characters are shown as their codes. */
export function problemLine({ file, line, column, pointer, message }: Problem): string {
  const place = [file ?? 'configuration', ...(line === undefined ? [] : [line, column])].join(':');
  const path = pointer === undefined || pointer === '' ? '' : ` ${shortened(pointer)}`;
  return visibleLine(`${place}${path}: ${message}`);
}

const MAX_POINTER = 300;

/** A pointer that fits on a line; names in a file may be of any length. */
export function shortened(pointer: string): string {
  return pointer.length > MAX_POINTER ? `${pointer.slice(0, MAX_POINTER)}…` : pointer;
}

/** The pointer to a member: `/servers/a~1b`. */
export function pointerTo(...path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
