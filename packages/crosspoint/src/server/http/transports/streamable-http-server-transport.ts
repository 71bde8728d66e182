import type { NodeRequest, NodeResponse } from '../../../transports/http/server/adapters/node-exchange.ts';
import { serveNode } from '../../../transports/http/server/adapters/http-service.ts';
import { StreamableServerTransport } from './streamable-server-transport.ts';

/** Streamable HTTP for `node:http` and the frameworks on it: one object for each session, or for each request where there are no sessions. */
export class StreamableHTTPServerTransport extends StreamableServerTransport {
  /** Serves a request. `parsedBody` is the body, where a framework has read it already. */
  async handleRequest(request: NodeRequest, response: NodeResponse, parsedBody?: unknown): Promise<void> {
    await serveNode(this.service, request, response, parsedBody);
  }
}
