import { FetchHttpReply, FetchHttpRequest, type FetchExtras } from '../../transports/http/fetch.ts';
import type { HttpReply, HttpRequest } from '../../transports/http/exchange.ts';
import {
  NodeHttpReply,
  NodeHttpRequest,
  type NodeRequest,
  type NodeResponse,
} from '../../transports/http/node-exchange.ts';
import { coreOf } from '../core.ts';
import type { McpServer } from '../mcp-server.ts';
import type { Server } from '../server.ts';
import { Endpoint, type Health } from './endpoint.ts';
import type { McpHandlerOptions } from './options.ts';

export interface McpHandler {
  /** For runtimes and frameworks that speak the web's `Request` and `Response`. */
  fetch(request: Request, extras?: FetchExtras): Promise<Response>;
  /** For `node:http` and the frameworks on it; `parsedBody` is what a framework has read already. */
  node(request: NodeRequest, response: NodeResponse, parsedBody?: unknown): Promise<void>;
  /** For adapters: any HTTP that can be put into these two shapes. */
  handle(request: HttpRequest, reply: HttpReply): Promise<void>;
  /** Stops accepting, ends long streams, waits up to `grace` milliseconds for what is being worked on, ends the rest. */
  close(options?: { grace?: number }): Promise<void>;
  /** How it is doing now, for checks of readiness and for metrics. */
  readonly health: Health;
}

/** Serves every revision that the server speaks on one endpoint. */
export function createMcpHandler(server: McpServer | Server, options: McpHandlerOptions = {}): McpHandler {
  const endpoint = new Endpoint(coreOf(server), options);
  const { maxBufferedBytes } = options;
  return {
    async fetch(request, extras = {}) {
      const reply = new FetchHttpReply(request.signal, { maxBufferedBytes, onpulse: () => endpoint.beat() });
      await endpoint.handle(new FetchHttpRequest(request, extras), reply);
      return reply.response;
    },
    node: (request, response, parsedBody) =>
      endpoint.handle(new NodeHttpRequest(request, parsedBody), new NodeHttpReply(response, maxBufferedBytes)),
    handle: (request, reply) => endpoint.handle(request, reply),
    close: ({ grace = 5000 } = {}) => endpoint.close(grace),
    get health() {
      return endpoint.health;
    },
  };
}
