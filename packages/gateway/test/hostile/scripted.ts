import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { atEnd, lines } from '../carriers.ts';
import type { Upstream } from '../../src/index.ts';

type Message = Record<string, any>;

/** One connection to a scripted server. */
export interface Line {
  readonly socket: Socket;
  /** Name that the client gave itself. */
  name: string;
  /** Ids of requests that were cancelled. */
  readonly cancelled: Set<unknown>;
  /** Answers of the client, by id. */
  readonly answers: Map<unknown, Message>;
  write(message: unknown): void;
  /** Writes until a condition holds or the connection ends, as fast as the other side reads. */
  forever(message: (at: number) => unknown, until: () => boolean): void;
}

export type Tool = (call: { id: unknown; params: Message; line: Line }) => void;

export interface Scripted {
  readonly upstream: Upstream;
  readonly open: Set<Line>;
}

export const told = (text: string) => ({ content: [{ type: 'text', text }] });
const CAPABILITIES = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };

/** A server of the handshake family without the library, whose tools do what a script says; `fine` is answered properly. */
export async function scripted(
  tools: Readonly<Record<string, Tool>>,
  capabilities: () => object = () => CAPABILITIES,
): Promise<Scripted> {
  const open = new Set<Line>();
  const net = createServer((socket) => {
    const line = lineOf(socket);
    open.add(line);
    socket.on('error', () => {}).on('close', () => open.delete(line));
    createInterface({ input: socket }).on('line', (text) =>
      take(JSON.parse(text) as Message, line, { tools, capabilities }),
    );
  });
  net.listen(0, '127.0.0.1');
  await once(net, 'listening');
  atEnd(async () => {
    const closed = new Promise((resolve) => net.close(resolve));
    for (const { socket } of open) socket.destroy();
    await closed;
  });
  const { port } = net.address() as AddressInfo;
  return { upstream: { connect: async (client) => client.connect((await lines(port)) as never) }, open };
}

function lineOf(socket: Socket): Line {
  const write = (message: unknown): boolean => socket.write(`${JSON.stringify(message)}\n`);
  const forever: Line['forever'] = (message, until) => {
    let at = 0;
    const turn = (): void => {
      for (let count = 0; count < 100; count += 1) {
        if (until() || socket.destroyed) return;
        if (!write(message((at += 1)))) return void socket.once('drain', turn);
      }
      setImmediate(turn);
    };
    turn();
  };
  return {
    socket,
    name: '',
    cancelled: new Set(),
    answers: new Map(),
    write: (message) => void write(message),
    forever,
  };
}

function take(
  { id, method, params, result, error }: Message,
  line: Line,
  { tools, capabilities }: { tools: Readonly<Record<string, Tool>>; capabilities: () => object },
): void {
  const reply = (answer: object): void => line.write({ jsonrpc: '2.0', id, result: answer });
  if (method === undefined) return void line.answers.set(id, result ?? error);
  if (method === 'notifications/cancelled') return void line.cancelled.add(params.requestId);
  if (id === undefined) return;
  if (method === 'initialize') {
    line.name = params.clientInfo.name as string;
    const serverInfo = { name: 'scripted', version: '1' };
    return reply({ protocolVersion: params.protocolVersion, capabilities: capabilities(), serverInfo });
  }
  if (method === 'tools/list')
    return reply({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) });
  if (method === 'resources/subscribe' || method === 'resources/unsubscribe' || method === 'logging/setLevel')
    return reply({});
  if (method !== 'tools/call') return line.write({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
  const tool = tools[params.name as string];
  if (tool) return tool({ id, params, line });
  reply(told(`fine ${line.name}`));
}

/** A connection to a port on which nothing is checked. */
export async function rawTo(port: number): Promise<{ socket: Socket; received: Message[] }> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  atEnd(() => socket.destroy());
  const received: Message[] = [];
  createInterface({ input: socket }).on('line', (text) => received.push(JSON.parse(text) as Message));
  return { socket, received };
}
