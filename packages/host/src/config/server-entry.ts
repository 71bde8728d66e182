import type { Transport } from 'crosspoint/client';
import type { Json, JsonObject } from '../values/json.ts';

/** The shapes of configuration that are read and written. `program`: given by the program itself. */
export type ConfigFormat =
  | 'crosspoint'
  | 'claude-desktop'
  | 'claude-code'
  | 'vscode'
  | 'cursor'
  | 'mcpb'
  | 'registry'
  | 'program';

/** Who put an entry there. `project`: a file of a repository, which needs the user's trust before anything of it is expanded or started. */
export type ConfigScope = 'managed' | 'local' | 'project' | 'user' | 'bundle' | 'program';

/** The place that an entry, or one of its values, was read from. */
export interface Origin {
  readonly format: ConfigFormat;
  readonly scope: ConfigScope;
  /** Absolute path of the file; absent for entries of the program. */
  readonly file?: string;
  /** JSON pointer into the file. */
  readonly pointer?: string;
  /** `contentDigest` of the file's text that this was read from. Trust of a repository's file is bound to it. */
  readonly digest?: string;
}

/** A server that is a child process. */
export interface StdioReach {
  readonly type: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables of the child; `null` removes one that would be inherited. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** A file with more variables, one `NAME=value` a line. Variables of `env` win. */
  readonly envFile?: string;
  readonly cwd?: string;
}

/** A server at an address. `sse`: HTTP+SSE alone; `http`: Streamable HTTP, and HTTP+SSE where the server has nothing newer. */
export interface HttpReach {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: OAuthSettings;
}

/** How to log in, where the server's own documents do not say enough. */
export interface OAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scopes?: readonly string[];
  readonly callbackPort?: number;
  readonly authServerMetadataUrl?: string;
}

/** A server that the program connects to by a transport of its own. */
export interface TransportReach {
  readonly type: 'transport';
  open(): Transport | Promise<Transport>;
}

export type Reach = StdioReach | HttpReach | TransportReach;

/**
 * One server as a configuration describes it. Nothing is expanded yet: texts hold their `${…}`, and no process was started. `Reach` after
 * `resolveEntry` holds the final values.
 */
export interface ServerEntry {
  readonly name: string;
  readonly reach: Reach;
  readonly origin: Origin;
  readonly isDisabled?: boolean;
  /** The longest silence of a call in milliseconds. */
  readonly timeoutMs?: number;
  /** Its tools are always shown to the model, also where tools are searched for. */
  readonly alwaysLoad?: boolean;
  /** The only revisions that are spoken with it: a family, or their dates; all when absent. */
  readonly revisions?: 'handshake' | 'per-request' | readonly string[];
  /** Folders that the server may know as roots. */
  readonly roots?: readonly string[];
  /** Whether its annotations may be believed; `false` when absent. A file of a repository cannot set it. */
  readonly isTrusted?: boolean;
  /** Members that only the format of its origin has, as they were read. */
  readonly other?: Readonly<Record<string, Json>>;
  /** The values that the user is asked for, and the command or address that they make; see `bundleServer` and `registryServer`. */
  readonly template?: ServerTemplate;
}

/** The command or address of a server that needs values of its user. */
export interface ServerTemplate {
  readonly inputs: readonly InputDefinition[];
  /** The final command or address. `values` by the ids of the inputs; `null` for one that was left empty. */
  readonly fill: (values: Readonly<Record<string, Json>>) => Reach;
}

/** A value that the user is asked for, as VS Code's `inputs` and the `user_config` of bundles describe it. */
export interface InputDefinition {
  readonly id: string;
  /** The file that defines it. The same id in another file is another input. */
  readonly origin?: Origin;
  readonly type: 'text' | 'choice' | 'command' | 'number' | 'boolean' | 'directory' | 'file';
  readonly title?: string;
  readonly description?: string;
  readonly isSecret?: boolean;
  readonly isRequired?: boolean;
  readonly isList?: boolean;
  readonly options?: readonly { readonly label: string; readonly value: string }[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: Json;
  /** Members that only the format of its origin has. */
  readonly other?: JsonObject;
}
