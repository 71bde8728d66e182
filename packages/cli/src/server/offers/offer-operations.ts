import type { CompleteResult, GetPromptResult, LoggingLevel, ReadResourceResult, Tool } from 'crosspoint/client';

/** A folder that a server may ask for. */
export interface ListedRoot {
  /** A `file:` URI. */
  readonly uri: string;
  /** Whether it can be read now. Only such folders are told. */
  readonly isReadable: boolean;
}

/** Operations about the offers of a server, and the folders and logs of its connection. */
export interface OfferOperations {
  /** The tools with everything that a search over several servers needs. */
  'tools.searchable': {
    readonly params: object;
    readonly result: {
      readonly tools: readonly Tool[];
      readonly instructions?: string;
      /** Names of tools that are not found: the policy denies them, or their definition waits to be accepted. */
      readonly hidden: readonly string[];
    };
  };
  'resources.read': { readonly params: { readonly uri: string }; readonly result: ReadResourceResult };
  /** Tells changes as events, until it is cancelled; of the list where no address is given. */
  'resources.watch': { readonly params: { readonly uris: readonly string[] }; readonly result: object };
  'prompts.get': {
    readonly params: { readonly prompt: string; readonly arguments: Readonly<Record<string, string>> };
    readonly result: GetPromptResult;
  };
  /** Values for an argument of a prompt, or a variable of a template. */
  complete: {
    readonly params: {
      readonly of: { readonly prompt: string } | { readonly template: string };
      readonly argument: { readonly name: string; readonly value: string };
      /** Values that were chosen for others. */
      readonly chosen: Readonly<Record<string, string>>;
    };
    readonly result: CompleteResult;
  };
  'roots.list': { readonly params: object; readonly result: { readonly roots: readonly ListedRoot[] } };
  /** Replaces the folders, by path. `isTold`: the server was told; one that is not asks anew when it needs them. */
  'roots.set': {
    readonly params: { readonly folders: readonly string[] };
    readonly result: { readonly roots: readonly ListedRoot[]; readonly isTold: boolean };
  };
  /** Tells the `last` lines that were kept as events, then, with `follow`, new ones until it is cancelled. */
  'logs.follow': {
    readonly params: { readonly last: number; readonly follow: boolean };
    readonly result: object;
  };
  /** `by`: the server keeps the level for the session, or is told it with every request. */
  'logs.level': {
    readonly params: { readonly level: LoggingLevel };
    readonly result: { readonly level: LoggingLevel; readonly by: 'session' | 'request' };
  };
}

/** A log message or a line of stderr, as it came; `at` is ISO 8601. */
export type LogLine =
  | {
      readonly type: 'log';
      readonly at: string;
      readonly level: string;
      readonly logger?: string;
      readonly data: unknown;
    }
  | { readonly type: 'stderr'; readonly at: string; readonly line: string };

/** A change of a resource, or of the list of them. After an interruption, everything watched is told as changed. */
export type ChangeEvent =
  | { readonly type: 'change'; readonly at: string; readonly kind: 'resource'; readonly uri: string }
  | { readonly type: 'change'; readonly at: string; readonly kind: 'resources' };
