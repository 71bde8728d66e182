import type { McpHandlerOptions } from 'crosspoint/server';
import { atEnd, serveOver, type CarrierName } from '../carriers.ts';
import { tapped, type Hop } from '../cells/cell.ts';
import { bridge, type Bridge, type BridgeOptions } from '../../src/index.ts';
import { post, standing, type Answer, type Came, type Reply } from './http.ts';
import { rawClient, rawServer, type Message, type RawLines } from './lines.ts';
import { INITIALIZED, NEW, OLD, facts, initialize } from './words.ts';

export interface Behind {
  readonly face: Bridge;
  readonly where: string | number;
  readonly hop: Hop[];
  readonly problems: Error[];
}

interface FaceOptions {
  readonly bridge?: BridgeOptions;
  readonly handler?: McpHandlerOptions;
}

/** A bridge before a server, and where its clients connect. */
export async function faceOver(
  carrier: CarrierName,
  upstream: string | number,
  options: FaceOptions = {},
): Promise<Behind> {
  const hop: Hop[] = [];
  const problems: Error[] = [];
  const face = bridge(tapped(typeof upstream === 'string' ? 'http' : 'stdio', upstream, hop), {
    onproblem: (problem) => problems.push(problem),
    ...options.bridge,
  });
  const where = await serveOver(carrier, face, options.handler);
  atEnd(() => face.close());
  return { face, where, hop, problems };
}

/** A bridge over lines before a raw server over lines. */
export async function linesFace(
  on: (message: Message, peer: RawLines) => void,
  options: FaceOptions = {},
): Promise<Behind & { client: RawLines; peers: RawLines[] }> {
  const { port, peers } = await rawServer(on);
  const behind = await faceOver('stdio', port, options);
  return { ...behind, peers, client: await rawClient(behind.where as number) };
}

/** A raw client with a session over lines, after its handshake. */
export async function shaken(client: RawLines, capabilities: object = {}, version: string = OLD): Promise<Message> {
  client.send(initialize(capabilities, version));
  const answer = await client.answer('init');
  client.send(INITIALIZED);
  return answer;
}

/** A client without sessions that posts to a face. */
export function sender(url: string, capabilities: object = {}, headers: Record<string, string> = {}) {
  let last = 0;
  return (method: string, params: Message = {}, meta: object = {}): Promise<Answer> => {
    last += 1;
    const name = (params['name'] ?? params['uri'] ?? params['taskId']) as string | undefined;
    return post(
      url,
      { id: params['id'] ?? last, method, params: { ...params, _meta: { ...facts(capabilities), ...meta } } },
      {
        'mcp-protocol-version': NEW,
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': name }),
        ...headers,
      },
    );
  };
}

export interface RawSession {
  readonly id: string;
  readonly answer: Message;
  readonly headers: Record<string, string>;
  post(body: unknown, more?: Record<string, string>): Promise<Answer>;
  stream(): Promise<Answer>;
}

/** A client with a session over HTTP, after its handshake. */
export async function session(
  url: string,
  capabilities: object = {},
  { version = OLD, headers = {} }: { version?: string; headers?: Record<string, string> } = {},
): Promise<RawSession> {
  const opened = await post(url, initialize(capabilities, version), headers);
  const answer = await opened.answer('init');
  const id = opened.response.headers.get('mcp-session-id') ?? '';
  const own = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': version };
  const send = (body: unknown, more: Record<string, string> = {}): Promise<Answer> =>
    post(url, body, { ...own, ...more });
  await send(INITIALIZED);
  return { id, answer, headers: own, post: send, stream: () => standing(url, own) };
}

/** A server with a handshake over HTTP, by hand. `on` gets requests, once the session is there. */
export function oldHttp(
  on: (came: Came, reply: Reply) => void,
  { capabilities = { tools: {} } as object, sessions = true } = {},
): (came: Came, reply: Reply) => void {
  let last = 0;
  return (came, reply) => {
    const { method, body } = came;
    if (method === 'DELETE') return reply.status(200);
    if (method === 'GET') return on(came, reply);
    if (body?.['method'] === 'server/discover')
      return reply.json({ error: { code: -32000, message: 'no session' } }, {}, 400);
    if (body?.['method'] === 'initialize') {
      last += 1;
      const result = { protocolVersion: OLD, capabilities, serverInfo: { name: 'old', version: '1' } };
      return reply.json({ id: body['id'], result }, sessions ? { 'mcp-session-id': `session-${last}` } : {});
    }
    if (body?.['method'] === 'ping') return reply.json({ id: body['id'], result: {} });
    if (body?.['id'] === undefined || body['method'] === undefined) {
      on(came, reply);
      return reply.isUsed ? undefined : reply.status(202);
    }
    on(came, reply);
  };
}
