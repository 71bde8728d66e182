import type { FetchExtras } from '../../../transports/http/server/adapters/fetch-exchange.ts';
import { serveFetch } from '../../../transports/http/server/adapters/http-service.ts';
import { StreamableServerTransport } from './streamable-server-transport.ts';

/** Streamable HTTP for runtimes with the web's `Request` and `Response`. */
export class WebStandardStreamableHTTPServerTransport extends StreamableServerTransport {
  async handleRequest(request: Request, options: FetchExtras = {}): Promise<Response> {
    return serveFetch(this.service, request, options);
  }
}
