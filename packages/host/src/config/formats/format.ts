import type { Json, JsonObject } from '../../values/json.ts';
import type { LostField, Problem } from '../problem.ts';
import type { ConfigScope, InputDefinition, ServerEntry } from '../server-entry.ts';

/** Formats of configuration files. */
export type FileFormatId = 'crosspoint' | 'claude-desktop' | 'claude-code' | 'vscode' | 'cursor';

/** The file that a text was read from. */
export interface FilePlace {
  /** Absolute path; absent for a text without a file. */
  readonly file?: string;
  /** Who wrote the file; `project` when absent, which trusts nothing. */
  readonly scope?: ConfigScope;
  /** The folder whose local servers are read from `~/.claude.json`. */
  readonly folder?: string;
}

/** An entry or input that cannot be used, as it was read, so that writing the file again keeps it. */
export interface SkippedEntry {
  /** Of the server; empty for an input. */
  readonly name: string;
  readonly pointer: string;
  readonly value: Json;
}

/** Everything that a configuration file says. */
export interface ConfigDocument {
  /** The format that `rest` and `skipped` are of. */
  readonly format?: FileFormatId;
  readonly entries: readonly ServerEntry[];
  readonly inputs: readonly InputDefinition[];
  /** Members of the file beside its servers and inputs, as they were read. */
  readonly rest?: JsonObject;
  readonly skipped?: readonly SkippedEntry[];
}

export interface Reading extends ConfigDocument {
  readonly problems: readonly Problem[];
  /** `contentDigest` of the text. */
  readonly digest: string;
}

export interface Written {
  readonly text: string;
  /** Every field of the document that the format has no place for. */
  readonly lost: readonly LostField[];
}

/** One format of configuration files. */
export interface FileFormat {
  readonly id: FileFormatId;
  /** Its name for people. */
  readonly title: string;
  /** Never throws: a text that cannot be read is a problem with its line and column. Nothing is expanded. */
  read(text: string, place?: FilePlace): Reading;
  /** Writes entries of any format; `${…}` of entries are written as they are, see `convertConfiguration`. */
  write(document: ConfigDocument): Written;
}
