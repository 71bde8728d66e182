import type { Problem } from '../problem.ts';
import type { InputDefinition, OAuthSettings, Origin } from '../server-entry.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import type { FileFormatId } from './format.ts';

/** How a format names the settings of a login. */
export interface OAuthShape {
  readonly key: string;
  readonly names: Readonly<Partial<Record<keyof OAuthSettings, string>>>;
  /** Scopes as one text with spaces between them. */
  readonly hasScopesAsText?: boolean;
}

/** How a format describes servers at an address. */
export interface RemoteShape {
  /** Words of `type` → the transport they mean. Empty: the format has no `type`. */
  readonly types: Readonly<Record<string, 'http' | 'sse'>>;
  /** The transport of an entry with a `url` and no `type`. */
  readonly withoutType: 'http' | 'error' | 'warning';
  readonly oauth?: OAuthShape;
}

/** Members that belong to an entry of a format, beside how it is reached: their names in the file. */
export interface EntryNames {
  readonly isDisabled?: string;
  readonly timeoutMs?: string;
  readonly alwaysLoad?: string;
  readonly roots?: string;
  readonly isTrusted?: string;
}

/** How a format describes inputs. */
export interface InputsShape {
  read(value: JsonObject, report: (member: string, message: string) => void): InputDefinition | undefined;
  /** `lose` is called for each member that has no place. */
  write(input: InputDefinition, lose: (member: string, why: string) => void): JsonObject;
}

/** A member that is kept and not followed here. */
export interface NotFollowed {
  readonly key: string;
  readonly why: string;
  /** Whether this value matters. */
  readonly matters: (value: Json) => boolean;
}

/** A format as data; `fileFormat` makes the reader and the writer of it. */
export interface FormatShape {
  readonly id: FileFormatId;
  readonly title: string;
  /** The member that holds the servers. */
  readonly key: 'servers' | 'mcpServers';
  readonly allowsComments: boolean;
  readonly stdio: {
    readonly fields: readonly ('args' | 'env' | 'envFile' | 'cwd')[];
    /** Whether `null` in `env` removes a variable. */
    readonly allowsNull: boolean;
    /** Whether `type: "stdio"` is written. */
    readonly writesType: boolean;
  };
  /** Absent: the format has no servers at an address. */
  readonly remote?: RemoteShape;
  readonly names: EntryNames;
  readonly inputs?: InputsShape;
  readonly notFollowed?: readonly NotFollowed[];
  /** Where members of other formats are kept, by format; absent where they are lost. */
  readonly extra?: string;
  /** A member that marks the format and its version. */
  readonly mark?: { readonly key: string; readonly value: Json };
  /** Whether the members beside the servers are the state of a program, which another file has no use for. */
  readonly restIsState: boolean;
}

/** Notes what is wrong, with its place. */
export interface ProblemSink {
  report(problem: Omit<Problem, 'file' | 'line' | 'column'>): void;
}

export type EntryOrigin = Omit<Origin, 'pointer'>;
