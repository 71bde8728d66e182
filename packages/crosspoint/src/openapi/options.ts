import type { FetchLike, OutboundPolicy } from '../auth/outbound/policy.ts';
import type { McpServerOptions } from '../server/mcp-server.ts';

/** An operation of a document, as filters see it. */
export interface OperationFacts {
  /** In lower case. */
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
}

/** A function, or texts that are an operation id, a tag, or a method and path such as `GET /pets/{id}`. */
export type OperationFilter = readonly string[] | ((operation: OperationFacts) => boolean);

export interface OpenApiOptions {
  /** Where the API is; the first of the document's `servers` when absent. */
  readonly baseUrl?: string | URL;
  /** Sent with every request: credentials belong here, never into the document. A function is asked for each request. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Sends the requests instead of the runtime. Addresses are then checked as they are written alone. */
  readonly fetch?: FetchLike;
  /** Where requests may go; public addresses over https when absent. A `baseUrl` of the program's own may be anywhere. */
  readonly outbound?: Omit<OutboundPolicy, 'fetch' | 'maxBytes' | 'timeoutMs' | 'maxRedirects'>;
  readonly include?: OperationFilter;
  readonly exclude?: OperationFilter;
  /** Told of operations that cannot be tools, and why. */
  readonly onskipped?: (operation: OperationFacts, reason: string) => void;
  /** Told of requests that came to nothing, with everything that is known. Callers are told less. */
  readonly onproblem?: (problem: Error, operation: OperationFacts) => void;
  /** False: tools have no output schema, so what the API answers is not held against the document. */
  readonly outputSchemas?: boolean;
  /** Lets the parser load what the document refers to elsewhere, from files or from public addresses over HTTP: for documents that you trust. */
  readonly externalRefs?: { readonly files?: boolean; readonly http?: boolean };
  readonly limits?: OpenApiLimits;
  /** Of the server that is made. */
  readonly server?: McpServerOptions;
}

export interface OpenApiLimits {
  /** Of the document as JSON; 4 MiB when absent. */
  readonly documentBytes?: number;
  /** How deep the document may be nested; 100 when absent. */
  readonly depth?: number;
  /** Tools that are made; 200 when absent. */
  readonly operations?: number;
  /** Values in the schemas of one tool; 5000 when absent. */
  readonly schemaValues?: number;
  /** Of one answer; 1 MiB when absent. */
  readonly responseBytes?: number;
  /** For one request; 30 000 when absent. */
  readonly timeoutMs?: number;
}

export const OPEN_API_LIMITS: Required<OpenApiLimits> = {
  documentBytes: 4 * 1024 * 1024,
  depth: 100,
  operations: 200,
  schemaValues: 5000,
  responseBytes: 1024 * 1024,
  timeoutMs: 30_000,
};

/** The document cannot be made a server. */
export class OpenApiError extends Error {
  override readonly name: string = 'OpenApiError';
}
