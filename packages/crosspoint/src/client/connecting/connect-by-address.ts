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

/** A server given by its address, with everything already known about it. */
export interface HttpTarget extends Omit<HttpClientOptions, 'authProvider'>, AuthorizationOptions {
  /** Address of the server, such as `https://example.com/mcp`. */
  url: string | URL;
  /** Speak only revisions of this family. */
  family?: Family | undefined;
  /** Speak only these revisions; replaces the client's `revisions` option. */
  revisions?: RevisionChoice | undefined;
  /** Use only this HTTP transport. Absent: Streamable HTTP first, then SSE where the refusal suggests it. */
  transport?: 'streamable' | 'sse' | undefined;
  /** How streams are resumed after a broken connection: delays and number of attempts. */
  reconnectionOptions?: Partial<StreamableHTTPReconnectionOptions> | undefined;
}

/**
 * Connects to a server of which only the address is known. Streamable HTTP is tried first; when `initialize` is refused in the way of
 * servers that have only the SSE transport (two endpoints), that one is tried. The result is remembered for the address.
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
    throw new TypeError('The address of the server must be an absolute URL, such as https://example.com/mcp.');
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`The address of the server must begin with http: or https:, not with ${url.protocol}`);
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

/**
 * Whether an endpoint remembered as SSE answered in a way that says it is no longer one, so that Streamable HTTP is worth trying. An
 * unreachable server says nothing.
 */
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
    `${first.message} The older HTTP+SSE transport failed as well: ${also}`,
    { ...first.details },
    { cause: first.cause },
  );
}
