import type { Json } from '../../values/json.ts';
import type { Problem } from '../problem.ts';
import type { InputDefinition, Origin, Reach, ServerEntry } from '../server-entry.ts';
import type { TrustReader } from '../trust/trust-reader.ts';
import type { FolderName } from './dialects.ts';

/** Where the values of references come from. */
export interface ValueSources {
  /** The environment, as `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Absolute paths. `workspaceFolderBasename` is made of `workspaceFolder`. */
  readonly folders?: Readonly<Partial<Record<Exclude<FolderName, 'workspaceFolderBasename'>, string>>>;
  /** The definitions that were read, which say what is secret. Without them, every input is. */
  readonly inputs?: readonly InputDefinition[];
  /** Asks for the value of an input. Each file has inputs of its own: `origin` says of which. */
  input?(id: string, origin: Origin): Promise<Json | undefined>;
  /** Gets a secret from where secrets are kept. */
  secret?(name: string, origin: Origin): Promise<string | undefined>;
  /** Says whether the file of an entry is trusted. Without it, entries of repositories are refused. */
  readonly trust?: TrustReader;
  /** Reads a file of variables; from the disk, up to 1 MiB, when absent. */
  readFile?(path: string): Promise<string>;
  /** The operating system whose separator of paths is used; that of this process when absent. */
  readonly platform?: NodeJS.Platform;
}

export interface ResolveOptions {
  /**
   * `refuse`, when absent: a reference without a value is an error, so that no server is sent `${TOKEN}` as a credential. `keep`: variables that are
   * not set, and references of other formats, stay as they were written, as Claude Code does, and are listed as problems.
   */
  readonly unresolved?: 'refuse' | 'keep';
}

/** One reference of an entry and where its value came from. */
export interface ValueUse {
  /** JSON pointer into the file of the entry. */
  readonly pointer: string;
  readonly kind: 'env' | 'folder' | 'separator' | 'input' | 'secret' | 'env-file';
  readonly name: string;
  /** For people: `environment variable HOME`, `default in the file`, … */
  readonly from: string;
  readonly isSecret: boolean;
}

/** An entry with its final values. */
export interface ResolvedEntry {
  readonly entry: ServerEntry;
  /** With final values. `envFile` was read into `env`. */
  readonly reach: Reach;
  /** The same for people: each secret as its reference, or hidden. */
  readonly shown: Reach;
  readonly roots: readonly string[];
  readonly used: readonly ValueUse[];
  /** Values that must not be printed, for redaction. */
  readonly secrets: readonly string[];
  /** Warnings, with `unresolved: 'keep'`. */
  readonly problems: readonly Problem[];
}
