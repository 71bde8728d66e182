import { StreamableHTTPClientTransport, type Client, type HttpTarget } from 'crosspoint/client';
import type { Upstream, UpstreamCaller } from './upstream.ts';

/** A server that is reached over HTTP: Streamable HTTP, or HTTP+SSE where it has only that. */
export function httpUpstream(given: string | URL | HttpTarget): Upstream {
  const target = typeof given === 'string' || given instanceof URL ? { url: given } : given;
  return {
    canResume: true,
    connect: (client: Client, { resume }: UpstreamCaller, signal: AbortSignal) =>
      client.connect(
        resume ? new StreamableHTTPClientTransport(target.url, { ...target, ...resume, endsSession: true }) : target,
        { signal },
      ),
  };
}
