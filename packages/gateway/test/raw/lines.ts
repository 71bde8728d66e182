import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { until } from '../../../crosspoint/test/until.ts';
import { atEnd } from '../carriers.ts';

export type Message = Record<string, any>;

/** One end of a connection with a message on each line, made by hand: it does only what a test tells it. */
export class RawLines {
  readonly received: Message[] = [];
  readonly #socket: Socket;
  #rest = '';
  /** Whether the other side, or a test, has closed it. */
  isClosed = false;

  constructor(socket: Socket, onmessage: (message: Message, peer: RawLines) => void = () => {}) {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('close', () => (this.isClosed = true));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (this.#rest + chunk).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines.filter((one) => one.trim() !== '')) {
        const message = JSON.parse(line) as Message;
        this.received.push(message);
        onmessage(message, this);
      }
    });
  }

  send(...messages: (Message | Message[])[]): void {
    for (const message of messages)
      this.#socket.write(
        `${JSON.stringify(Array.isArray(message) ? message.map((one) => ({ jsonrpc: '2.0', ...one })) : { jsonrpc: '2.0', ...message })}\n`,
      );
  }

  /** The first message that has these members, also one that came before. */
  async got(matches: (message: Message) => boolean, what = 'a message'): Promise<Message> {
    await until(() => this.received.some(matches), what);
    return this.received.find(matches) as Message;
  }

  answer(id: string | number): Promise<Message> {
    return this.got((one) => one['id'] === id && one['method'] === undefined, `the answer to ${id}`);
  }

  /** The nth request or notification of a method. */
  async said(method: string, nth = 1): Promise<Message> {
    const all = (): Message[] => this.received.filter((one) => one['method'] === method);
    await until(() => all().length >= nth, `${method}, ${nth}`);
    return all()[nth - 1] as Message;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** A server on lines: the port, and everybody who came. */
export async function rawServer(
  onmessage: (message: Message, peer: RawLines) => void,
): Promise<{ port: number; peers: RawLines[] }> {
  const peers: RawLines[] = [];
  const net = createServer((socket) => void peers.push(new RawLines(socket, onmessage)));
  net.listen(0, '127.0.0.1');
  await once(net, 'listening');
  atEnd(async () => {
    const closed = new Promise((resolve) => net.close(resolve));
    for (const peer of peers) peer.close();
    await closed;
  });
  return { port: (net.address() as AddressInfo).port, peers };
}

/** A client on lines. */
export async function rawClient(port: number): Promise<RawLines> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const peer = new RawLines(socket);
  atEnd(() => peer.close());
  return peer;
}
