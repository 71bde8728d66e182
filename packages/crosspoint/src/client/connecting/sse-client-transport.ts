import type { SSEClientTransportOptions as PlainOptions } from '../../transports/http/client/options.ts';
import { PlainSseTransport } from '../../transports/http/client/sse-transport.ts';
import { withAuthorizer, type AuthorizationOptions } from './lazy-authorizer.ts';

/** @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final. */
export interface SSEClientTransportOptions extends Omit<PlainOptions, 'authProvider'>, AuthorizationOptions {}

/**
 * The older HTTP+SSE transport, with optional login.
 *
 * @deprecated HTTP+SSE was replaced by Streamable HTTP and is deprecated by SEP-2596; the earliest removal is three months after that
 * became final.
 */
export class SSEClientTransport extends PlainSseTransport {
  constructor(url: URL | string, options: SSEClientTransportOptions = {}) {
    super(url, withAuthorizer(url, options));
  }
}
