import type { FileFormatId } from '../formats/format.ts';
import type { Problem } from '../problem.ts';
import type { ConfigScope, InputDefinition, ServerEntry } from '../server-entry.ts';

/** A place where a configuration file may be. */
export interface FileLocation {
  /** Absolute path. */
  readonly file: string;
  readonly format: FileFormatId;
  /** Who wrote it. Files of a repository are `project`. */
  readonly scope: ConfigScope;
}

/** A configuration file as it was read, once. */
export interface ConfigFile extends FileLocation {
  /** `contentDigest` of the content that was read. */
  readonly digest: string;
  readonly entries: readonly ServerEntry[];
  readonly inputs: readonly InputDefinition[];
  readonly problems: readonly Problem[];
}
