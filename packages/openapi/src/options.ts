import type { FetchLike, OutboundPolicy } from 'crosspoint/auth';
import type { McpServerOptions } from 'crosspoint/server';

/** An operation of a document, as filters see it. */
export interface OperationFacts {
  /** The HTTP method, in lower case. */
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
}

/** A function, or a list of operation ids, tags, or methods with paths such as `GET /pets/{id}`. */
export type OperationFilter = readonly string[] | ((operation: OperationFacts) => boolean);

export interface OpenApiOptions {
  /** The base URL of the API; the first of the document's `servers` when absent. */
  readonly baseUrl?: string | URL;
  /** Headers sent with every request. Credentials belong here, never into the document. A function is called for each request. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Sends the requests instead of the runtime. Addresses are then checked by their text alone, not by the IP address they resolve to. */
  readonly fetch?: FetchLike;
  /** The addresses that requests may go to; public ones over https when absent. A `baseUrl` that the program gives may be anywhere. */
  readonly outbound?: Omit<OutboundPolicy, 'fetch' | 'maxBytes' | 'timeoutMs' | 'maxRedirects'>;
  readonly include?: OperationFilter;
  readonly exclude?: OperationFilter;
  /** Called for each operation that cannot become a tool, with the reason. */
  readonly onskipped?: (operation: OperationFacts, reason: string) => void;
  /** Called with the full error of a request that failed. Callers of the tool see less. */
  readonly onproblem?: (problem: Error, operation: OperationFacts) => void;
  /** False: tools have no output schema, and answers of the API are not checked against the document. True when absent. */
  readonly outputSchemas?: boolean;
  /** Loads references to other documents, from files or from public addresses over HTTP. Only for documents that you trust. */
  readonly externalRefs?: { readonly files?: boolean; readonly http?: boolean };
  readonly limits?: OpenApiLimits;
  /** Options of the server that is made. */
  readonly server?: McpServerOptions;
}

export interface OpenApiLimits {
  /** Bytes of the document as JSON; 4 MiB when absent. */
  readonly documentBytes?: number;
  /** Nesting depth of the document; 100 when absent. */
  readonly depth?: number;
  /** Number of tools; 200 when absent. */
  readonly operations?: number;
  /** Number of values in the schemas of one tool; 5,000 when absent. */
  readonly schemaValues?: number;
  /** Bytes of one answer; 1 MiB when absent. */
  readonly responseBytes?: number;
  /** Milliseconds for one request; 30,000 when absent. */
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

/** Thrown when a document cannot become a server; the message says why. */
export class OpenApiError extends Error {
  override readonly name: string = 'OpenApiError';
}
