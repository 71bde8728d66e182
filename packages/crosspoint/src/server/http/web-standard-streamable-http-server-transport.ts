import { FetchHttpReply, FetchHttpRequest, type FetchExtras } from '../../transports/http/fetch.ts';
import { StreamableServerTransport } from './streamable-server-transport.ts';

/** Streamable HTTP for runtimes that speak the web's `Request` and `Response`. */
export class WebStandardStreamableHTTPServerTransport extends StreamableServerTransport {
  async handleRequest(request: Request, options: FetchExtras = {}): Promise<Response> {
    const reply = new FetchHttpReply(request.signal);
    await this.handle(new FetchHttpRequest(request, options), reply);
    return reply.response;
  }
}
