import { StreamableHTTPClientTransport as PlainTransport } from '../../transports/http/client/streamable-transport.ts';
import type { StreamableHTTPClientTransportOptions as PlainOptions } from '../../transports/http/client/options.ts';
import { withAuthorizer, type AuthorizationOptions } from './lazy-authorizer.ts';

export interface StreamableHTTPClientTransportOptions
  extends Omit<PlainOptions, 'authProvider'>, AuthorizationOptions {}

/** The Streamable HTTP transport, with optional login. */
export class StreamableHTTPClientTransport extends PlainTransport {
  constructor(url: URL | string, options: StreamableHTTPClientTransportOptions & { endsSession?: boolean } = {}) {
    super(url, withAuthorizer(url, options));
  }
}
