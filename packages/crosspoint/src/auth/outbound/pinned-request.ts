import { OutboundError } from './outbound-error.ts';
import { addressFault, type OutboundPolicy } from './policy.ts';
import { joinBytes } from './read-bounded.ts';
import { builtInModule } from '../../runtime/built-in-module.ts';

/** The parts of Node's modules that are used. Structural types, so that this file compiles and loads everywhere. */
interface Incoming {
  readonly statusCode?: number;
  readonly rawHeaders: readonly string[];
  on(event: 'data', take: (chunk: Uint8Array) => void): void;
  on(event: 'end' | 'aborted', take: () => void): void;
  on(event: 'error', take: (error: Error) => void): void;
  destroy(): void;
}

interface Outgoing {
  on(event: 'error', take: (error: Error & { code?: string }) => void): void;
  setTimeout(ms: number, take: () => void): void;
  destroy(error?: Error): void;
  end(body?: Uint8Array): void;
}

interface HttpModule {
  request(options: object, take: (incoming: Incoming) => void): Outgoing;
}

interface DnsModule {
  promises: { lookup(host: string, options: { all: true }): Promise<readonly { readonly address: string }[]> };
}

export interface Connector {
  readonly http: HttpModule;
  readonly https: HttpModule;
  readonly dns: DnsModule;
}

export interface PlainRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

/** Milliseconds to wait for an address that does not respond while there is another one. */
const NEXT_ADDRESS_MS = 3000;
const MAY_TRY_NEXT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'EAFNOSUPPORT',
]);

/** Modules that can connect to a given address; `undefined` where only `fetch` connects. */
export function findConnector(): Connector | undefined {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } };
  // Workers have the modules but no resolver; they cannot reach private networks either.
  if (navigator?.userAgent === 'Cloudflare-Workers') return undefined;
  const http = builtInModule<HttpModule>('http');
  const https = builtInModule<HttpModule>('https');
  const dns = builtInModule<DnsModule>('dns');
  return http && https && dns && { http, https, dns };
}

/**
 * Sends one request and follows nothing. The host is resolved once, all its addresses are checked, and the connection goes to exactly those
 * addresses, whatever the name resolves to later. The certificate is still checked against the name.
 */
export async function pinnedRequest(
  url: URL,
  request: PlainRequest,
  policy: OutboundPolicy,
  connector: Connector,
): Promise<Response> {
  const addresses = await resolveHost(url, policy, connector, request.signal);
  for (const address of addresses) {
    const fault = addressFault(url, address, policy);
    if (fault !== undefined) throw fault;
  }
  for (const [index, address] of addresses.entries()) {
    const isLast = index === addresses.length - 1;
    try {
      return await requestAddress({ url, address, isLast }, request, connector);
    } catch (error) {
      const { code } = error as { code?: string };
      if (isLast || code === undefined || !MAY_TRY_NEXT.has(code)) throw error;
    }
  }
  throw new OutboundError('resolve', url, `${url.hostname} has no address`);
}

async function resolveHost(
  url: URL,
  policy: OutboundPolicy,
  { dns }: Connector,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const found =
    policy.resolve === undefined
      ? dns.promises.lookup(hostname, { all: true }).then((all) => all.map(({ address }) => address))
      : policy.resolve(hostname);
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([found, aborted]);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new OutboundError('resolve', url, `the name ${hostname} could not be resolved`, { cause: error });
  }
}

interface Target {
  readonly url: URL;
  readonly address: string;
  readonly isLast: boolean;
}

function requestAddress(target: Target, request: PlainRequest, connector: Connector): Promise<Response> {
  const { url, address, isLast } = target;
  const isSecure = url.protocol === 'https:';
  const headers: Record<string, string> = { Host: url.host };
  request.headers.forEach((value, name) => (headers[name] = value));
  // No compression: bodies are counted as they arrive, so a small one cannot expand.
  headers['accept-encoding'] = 'identity';
  if (request.body !== undefined) headers['content-length'] = String(request.body.byteLength);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const options = {
    host: address,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: request.method,
    headers,
    agent: false,
    signal: request.signal,
    ...(isSecure && !/^[\d.]+$|:/.test(hostname) && { servername: hostname }),
  };
  return new Promise((resolve, reject) => {
    let hasAnswer = false;
    const outgoing = (isSecure ? connector.https : connector.http).request(options, (incoming) => {
      hasAnswer = true;
      collect(url, incoming, request.maxBytes).then(resolve, reject);
    });
    outgoing.on('error', reject);
    if (!isLast)
      outgoing.setTimeout(NEXT_ADDRESS_MS, () => {
        if (!hasAnswer) outgoing.destroy(Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' }));
      });
    outgoing.end(request.body);
  });
}

const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

function collect(url: URL, incoming: Incoming, maxBytes: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    incoming.on('data', (chunk) => {
      size += chunk.byteLength;
      if (size > maxBytes) {
        reject(new OutboundError('too-large', url, `the answer is larger than ${maxBytes} bytes`));
        incoming.destroy();
      } else chunks.push(chunk);
    });
    incoming.on('error', reject);
    incoming.on('aborted', () => reject(new OutboundError('network', url, 'the answer ended before it was complete')));
    incoming.on('end', () => {
      const headers = new Headers();
      for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2)
        headers.append(incoming.rawHeaders[i] ?? '', incoming.rawHeaders[i + 1] ?? '');
      const status = incoming.statusCode ?? 0;
      if (status < 200 || status > 599)
        return reject(new OutboundError('network', url, `it was answered with the status ${status}`));
      resolve(new Response(WITHOUT_BODY.has(status) ? null : joinBytes(chunks, size), { status, headers }));
    });
  });
}
