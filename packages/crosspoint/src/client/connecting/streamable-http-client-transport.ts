import { readEvents, type EventReader } from '../../transports/http/client/body.ts';
import { fetchWithoutTimeouts } from '../../transports/http/client/fetch-without-timeouts.ts';
import { PlainStreamableTransport } from '../../transports/http/client/streamable-transport.ts';
import type {
  FetchLike,
  StreamableHTTPClientTransportOptions as PlainOptions,
} from '../../transports/http/client/options.ts';
import { withAuthorizer, type AuthorizationOptions } from './lazy-authorizer.ts';

export interface StreamableHTTPClientTransportOptions
  extends Omit<PlainOptions, 'authProvider'>, AuthorizationOptions {}

/** The Streamable HTTP transport, with optional login. */
export class StreamableHTTPClientTransport extends PlainStreamableTransport {
  /** The `fetch` in use where none is given: that of the runtime, without its time limits for silent streams. */
  static readonly defaultFetch: FetchLike = fetchWithoutTimeouts;
  /** Reads a stream of server-sent events to its end, for transports of other kinds. Rejects when it breaks or an event is too large. */
  static readonly readEvents: (body: ReadableStream<Uint8Array>, reader: EventReader) => Promise<void> = readEvents;

  constructor(url: URL | string, options: StreamableHTTPClientTransportOptions & { endsSession?: boolean } = {}) {
    super(url, withAuthorizer(url, options));
  }
}
