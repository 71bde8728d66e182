import { StreamableHTTPClientTransport, type Client, type HttpTarget } from 'crosspoint/client';
import type { Upstream, UpstreamCaller } from './upstream.ts';

/** The way to a server that is given by its address, or as a way already. */
export function upstreamAt(given: string | URL | HttpTarget | Upstream): Upstream {
  return typeof given === 'object' && 'connect' in given ? given : httpUpstream(given);
}

/** A server that is reached over HTTP: Streamable HTTP, or HTTP+SSE where it has only that. */
function httpUpstream(given: string | URL | HttpTarget): Upstream {
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
