import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { failure, runBoth, shown, type Program, type Sdk } from './both.ts';

type Stream = (res: ServerResponse, count: number, req: IncomingMessage) => void;

const open = (res: ServerResponse): ServerResponse => res.writeHead(200, { 'content-type': 'text/event-stream' });
const endpoint = 'event: endpoint\ndata: /messages\n\n';

/** A server whose GET is answered by `stream` and whose POST by `post`. */
function serverOf(stream: Stream, post: RequestListener = (_req, res) => void res.writeHead(202).end()) {
  return (): RequestListener => {
    let count = 0;
    return (req, res) => {
      if (req.method === 'GET') return stream(res, count++, req);
      req.resume();
      req.on('end', () => post(req, res));
    };
  };
}

/** A transport that keeps everything it is told. */
function watched(sdk: Sdk, url: URL) {
  const transport = new sdk.SSEClientTransport(url);
  const told: object[] = [];
  const got: unknown[] = [];
  transport.onerror = (error) => void told.push(shown(error));
  transport.onmessage = (message) => void got.push(message);
  return { transport, told, got };
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const starting: Program = async (sdk, url) => {
  const { transport, told } = watched(sdk, url);
  const failed = await failure(transport.start());
  await transport.close();
  return { failed, told };
};

const CASES: Record<string, [ReturnType<typeof serverOf>, Program]> = {
  'a 401 without a provider': [serverOf((res) => void res.writeHead(401).end()), starting],
  'a 401 of a connect': [
    serverOf((res) => void res.writeHead(401).end()),
    async (sdk, url) => failure(new sdk.Client({ name: 'c', version: '1' }).connect(new sdk.SSEClientTransport(url))),
  ],
  'a 503': [serverOf((res) => void res.writeHead(503).end('later')), starting],
  'a 204': [serverOf((res) => void res.writeHead(204).end()), starting],
  'a page instead of a stream': [
    serverOf((res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<html>')),
    starting,
  ],
  'a redirect to another origin': [
    serverOf((res) => void res.writeHead(302, { location: 'http://127.0.0.1:1/sse' }).end()),
    starting,
  ],
  'an endpoint of another origin': [
    serverOf((res) => void open(res).write('event: endpoint\ndata: http://127.0.0.1:1/x\n\n')),
    starting,
  ],
  'a server that is not there': [serverOf(() => {}), (sdk) => starting(sdk, new URL('http://127.0.0.1:1/sse'))],
  'messages before the start, and a second start': [
    serverOf((res) => void open(res).write(endpoint)),
    async (sdk, url) => {
      const { transport } = watched(sdk, url);
      const early = await failure(transport.send(ping));
      await transport.start();
      const again = await failure(transport.start());
      await transport.close();
      return { early, again };
    },
  ],
  'garbage among the events': [
    serverOf((res) => void open(res).write(`${endpoint}data: {"a":1}\n\ndata: ${JSON.stringify(ping)}\n\n`)),
    async (sdk, url) => {
      const { transport, got } = watched(sdk, url);
      const classes: string[] = [];
      transport.onerror = (error) => void classes.push(error.constructor.name);
      await transport.start();
      await until(() => got.length === 1);
      await transport.close();
      return { classes, got };
    },
  ],
  'a message that is refused': [
    serverOf(
      (res) => void open(res).write(endpoint),
      (_req, res) => void res.writeHead(500).end('broken'),
    ),
    async (sdk, url) => {
      const { transport, told } = watched(sdk, url);
      await transport.start();
      const sent = await failure(transport.send(ping));
      await transport.close();
      return { sent, told };
    },
  ],
  'a stream that ends is opened again, and messages go to its endpoint': [
    serverOf(
      (res, count) => {
        open(res).write(`retry: 10\nevent: endpoint\ndata: /messages?stream=${count}\n\n`);
        if (count === 0) res.end();
      },
      (req, res) => void res.writeHead(req.url === '/messages?stream=1' ? 202 : 400).end(),
    ),
    async (sdk, url) => {
      const { transport, told } = watched(sdk, url);
      let closed = 0;
      transport.onclose = () => void (closed += 1);
      await transport.start();
      await until(() => told.length === 1);
      await pause(100);
      const seen = { told, closed, sent: await failure(transport.send(ping)) };
      await transport.close();
      return seen;
    },
  ],
};

describe('HTTP+SSE: a program sees with ours what it sees with v1', () => {
  it.each(Object.entries(CASES))('%s', async (_name, [serve, program]) => {
    const [official, ours] = await runBoth(program, serve);
    expect(ours).toEqual(official);
  });
});
