import { atOnce } from '../../runtime/guard.ts';
import type { FetchExtras } from '../../transports/http/server/adapters/fetch-exchange.ts';
import type { HttpReply, HttpRequest } from '../../transports/http/server/adapters/exchange.ts';
import type { NodeRequest, NodeResponse } from '../../transports/http/server/adapters/node-exchange.ts';
import { serveFetch, serveNode, type HttpService } from '../../transports/http/server/adapters/http-service.ts';
import { coreOf } from '../core.ts';
import type { McpServer } from '../mcp-server.ts';
import type { Server } from '../server.ts';
import { Endpoint, type Health } from './endpoint.ts';
import type { McpHandlerOptions } from './options.ts';
import { FactoryEndpoint, type McpServerFactory, type Serving } from './serve-by-factory.ts';

/** An endpoint, in the forms that runtimes and frameworks take. */
export interface McpHandler {
  /** For runtimes and frameworks that speak the web's `Request` and `Response`. */
  fetch(request: Request, extras?: FetchExtras): Promise<Response>;
  /** For `node:http` and the frameworks on it; `parsedBody` is the body, where a framework has read it already. */
  node(request: NodeRequest, response: NodeResponse, parsedBody?: unknown): Promise<void>;
  /** For adapters of other HTTP servers. */
  handle(request: HttpRequest, reply: HttpReply): Promise<void>;
  /** Stops accepting, ends long streams, waits up to `grace` milliseconds for open requests, then ends the rest. */
  close(options?: { grace?: number }): Promise<void>;
  /** Announces changes to all clients of this endpoint. */
  readonly notify: ServerNotifier;
  /** The current load and state, for readiness checks and metrics. */
  readonly health: Health;
}

/** Announces changes to the clients that asked for them. */
export interface ServerNotifier {
  /** The list of tools has changed. */
  toolsChanged(): void;
  /** The list of prompts has changed. */
  promptsChanged(): void;
  /** The list of resources has changed. */
  resourcesChanged(): void;
  /** The contents of this resource have changed. */
  resourceUpdated(uri: string): void;
}

/**
 * Serves every revision that the server speaks on one endpoint. With a function that makes servers, each request gets a server of its own, without
 * sessions.
 *
 * ```ts
 * const handler = createMcpHandler(server, { path: '/mcp' });
 * createServer(handler.node).listen(3000, '127.0.0.1'); // node:http
 * export default { fetch: handler.fetch }; // Workers, Bun, Deno
 * ```
 */
export function createMcpHandler(
  server: McpServer | Server | McpServerFactory,
  options: McpHandlerOptions = {},
): McpHandler {
  const endpoint: Serving =
    typeof server === 'function'
      ? new FactoryEndpoint(server, options)
      : Object.assign(new Endpoint(coreOf(server), options), { servers: [server] });
  const serve = (request: HttpRequest, reply: HttpReply): Promise<void> => {
    atOnce(options.tap?.(request, reply), 'tap');
    return endpoint.handle(request, reply);
  };
  const service: HttpService = {
    maxBufferedBytes: options.maxBufferedBytes,
    onpulse: () => endpoint.beat(),
    onproblem: (problem) => endpoint.onproblem(problem),
    serve,
  };
  return {
    fetch: (request, extras) => serveFetch(service, request, extras),
    node: (request, response, parsedBody) => serveNode(service, request, response, parsedBody),
    handle: serve,
    close: ({ grace = 5000 } = {}) => endpoint.close(grace),
    get notify() {
      return notifierOf(endpoint);
    },
    get health() {
      return endpoint.health;
    },
  };
}

function notifierOf(endpoint: Serving): ServerNotifier {
  const tell = (run: (server: McpServer | Server) => unknown): void => {
    for (const server of endpoint.servers) run(server);
  };
  return {
    toolsChanged: () => tell((server) => server.sendToolListChanged()),
    promptsChanged: () => tell((server) => server.sendPromptListChanged()),
    resourcesChanged: () => tell((server) => server.sendResourceListChanged()),
    resourceUpdated: (uri) => tell((server) => coreOf(server).tell({ kind: 'resource', uri })),
  };
}
