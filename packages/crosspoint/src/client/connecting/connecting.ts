import { TransportError } from '../../protocol/errors.ts';
import { asError, errorMessage } from '../../runtime/guard.ts';
import type { Family } from '../../revisions/revision.ts';
import type { RevisionChoice } from '../../revisions/selection.ts';
import { endpointIdentity } from '../../transports/http/client/identity.ts';
import type { HttpClientOptions, StreamableHTTPReconnectionOptions } from '../../transports/http/client/options.ts';
import type { Transport } from '../../transports/transport.ts';
import type { ConnectingPort } from './connect-options.ts';
import type { AuthorizationOptions } from './lazy-authorizer.ts';
import type { LinkOpenOptions } from './link.ts';
import { SSEClientTransport } from './sse-client-transport.ts';
import { StreamableHTTPClientTransport } from './streamable-http-client-transport.ts';

/** A server by its address, with what is known about it already. */
export interface HttpTarget extends Omit<HttpClientOptions, 'authProvider'>, AuthorizationOptions {
  url: string | URL;
  /** Speak only this family. */
  family?: Family | undefined;
  /** Speak only these revisions, whatever the client was made with. */
  revisions?: RevisionChoice | undefined;
  /** Use only this transport; found out when absent. */
  transport?: 'streamable' | 'sse' | undefined;
  reconnectionOptions?: Partial<StreamableHTTPReconnectionOptions> | undefined;
}

/**
 * The ladder to a server of which only the address is known. The Streamable HTTP transport finds out whether there is a handshake; where
 * the handshake is refused in the way of servers that have only the older transport, that one is tried. What it was in the end is
 * remembered for the address.
 */
export async function connectTo(
  given: HttpTarget | string | URL,
  options: LinkOpenOptions,
  port: ConnectingPort,
): Promise<void> {
  const target = typeof given === 'string' || given instanceof URL ? { url: given } : given;
  const url = httpUrl(target.url);
  const { clock, connectMs } = port;
  const startedAt = clock.now();
  const timeoutMs = options.timeoutMs ?? connectMs;
  const revisions = target.revisions ?? target.family;
  const open = (transport: Transport): Promise<void> => {
    const left = timeoutMs > 0 ? Math.max(1, timeoutMs - (clock.now() - startedAt)) : timeoutMs;
    return port.open(transport, { signal: options.signal, timeoutMs: left, revisions: revisions ?? options.revisions });
  };
  const carriers = { clock, ...target };
  const streamable = (): Promise<void> =>
    open(new StreamableHTTPClientTransport(url, { ...carriers, endsSession: true }));
  const sse = (): Promise<void> => open(new SSEClientTransport(url, carriers));
  if (target.transport === 'streamable') return streamable();
  if (target.transport === 'sse') return sse();
  if (await rememberedTwoEndpoints(url, port)) {
    try {
      return await sse();
    } catch (error) {
      if (!isAnswer(error)) throw error;
    }
  }
  try {
    await streamable();
  } catch (error) {
    if (!mayHaveTwoEndpoints(error)) throw error;
    await sse().catch((second: unknown) => {
      throw isOutOfTime(second) ? second : neither(error, second);
    });
  }
}

function httpUrl(given: string | URL): URL {
  if (!URL.canParse(String(given)))
    throw new TypeError('A server is given by its address, as in https://example.com/mcp.');
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`Addresses of servers begin with http: or https:, not with ${url.protocol}`);
  return url;
}

async function rememberedTwoEndpoints(url: URL, port: ConnectingPort): Promise<boolean> {
  try {
    return (await port.verdicts.get(endpointIdentity(url)))?.twoEndpoints === true;
  } catch (error) {
    port.onproblem(asError(error));
    return false;
  }
}

function mayHaveTwoEndpoints(error: unknown): error is TransportError {
  return (
    error instanceof TransportError &&
    error.code === 'negotiation-failed' &&
    error.details['mayHaveTwoEndpoints'] === true
  );
}

/** Whether the server has said that it is something else now, rather than nothing. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof TransportError)) return false;
  const { status } = error.details;
  return (
    error.code === 'closed' || (error.code === 'http' && typeof status === 'number' && status < 500 && status !== 403)
  );
}

function isOutOfTime(error: unknown): boolean {
  return (
    error instanceof TransportError &&
    (error.code === 'connect-timeout' || error.code === 'aborted' || error.code === 'unauthorized')
  );
}

function neither(first: TransportError, second: unknown): TransportError {
  const also = errorMessage(second);
  return new TransportError(
    'negotiation-failed',
    `${first.message} The older transport with two endpoints is not there either: ${also}`,
    { ...first.details },
    { cause: first.cause },
  );
}
