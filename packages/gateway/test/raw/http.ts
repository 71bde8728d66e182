import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../../crosspoint/test/until.ts';
import { atEnd } from '../carriers.ts';
import type { Message } from './lines.ts';

/** One request that a server made by hand has got. */
export interface Came {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Message | undefined;
  isGone: boolean;
}

/** The answer to one request, in the way of a test. */
export class Reply {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Whether something was answered. */
  get isUsed(): boolean {
    return this.#response.headersSent;
  }

  json(message: Message, headers: Record<string, string> = {}, status = 200): void {
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers });
    this.#response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  status(code: number, headers: Record<string, string> = {}): void {
    this.#response.writeHead(code, headers).end();
  }

  /** One message on a stream, which stays open. */
  event(message: Message): void {
    if (!this.#response.headersSent) this.open();
    this.#response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  }

  open(): void {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#response.flushHeaders();
  }

  end(): void {
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }
}

export interface RawHttp {
  readonly url: string;
  readonly came: Came[];
  /** Bodies of the requests and notifications of a method. */
  said(method: string): Message[];
}

/** A server over HTTP, by hand. */
export async function rawHttp(on: (came: Came, reply: Reply) => void): Promise<RawHttp> {
  const came: Came[] = [];
  const http = createServer({ keepAliveTimeout: 0 }, (request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const one: Came = {
        method: request.method ?? '',
        headers: request.headers,
        body: text === '' ? undefined : (JSON.parse(text) as Message),
        isGone: false,
      };
      response.on('close', () => (one.isGone = !response.writableFinished));
      response.on('error', () => {});
      came.push(one);
      on(one, new Reply(response));
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  atEnd(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    came,
    said: (method) => came.flatMap(({ body }) => (body?.['method'] === method ? [body] : [])),
  };
}

/** The answer to a request to the face. */
export class Answer {
  readonly messages: Message[] = [];
  readonly ids: string[] = [];
  readonly response: Response;
  readonly ended: Promise<void>;
  readonly #reader: ReadableStreamDefaultReader<string> | undefined;

  constructor(response: Response) {
    this.response = response;
    this.#reader = response.body?.pipeThrough(new TextDecoderStream() as never).getReader() as never;
    this.ended = this.#read().catch(() => {});
  }

  /** The first message that fits, also one that came before. */
  async got(matches: (message: Message) => boolean, what = 'a message'): Promise<Message> {
    await until(() => this.messages.some(matches), what);
    return this.messages.find(matches) as Message;
  }

  answer(id: string | number): Promise<Message> {
    return this.got((one) => one['id'] === id && one['method'] === undefined, `the answer to ${id}`);
  }

  said(method: string): Promise<Message> {
    return this.got((one) => one['method'] === method, method);
  }

  async leave(): Promise<void> {
    await this.#reader?.cancel().catch(() => {});
  }

  async #read(): Promise<void> {
    let text = '';
    const isStream = this.response.headers.get('content-type')?.includes('event-stream') === true;
    for (;;) {
      const { done, value } = (await this.#reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      text += value;
      if (!isStream) continue;
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) this.#frame(frame);
    }
    if (!isStream && text.trim() !== '') this.#message(JSON.parse(text));
  }

  #frame(frame: string): void {
    const lines = frame.split('\n');
    for (const line of lines) if (line.startsWith('id:')) this.ids.push(line.slice(3).trim());
    const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim());
    if (data.join('') !== '') this.#message(JSON.parse(data.join('\n')));
  }

  #message(value: unknown): void {
    this.messages.push(...((Array.isArray(value) ? value : [value]) as Message[]));
  }
}

/** Posts to a face, without waiting for the end of the answer. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const one = (message: object): object => ({ jsonrpc: '2.0', ...message });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(Array.isArray(body) ? body.map(one) : one(body as object)),
  });
  const answer = new Answer(response);
  atEnd(() => answer.leave());
  return answer;
}

/** The standing stream of a session at a face. */
export async function standing(url: string, headers: Record<string, string>): Promise<Answer> {
  const answer = new Answer(await fetch(url, { headers: { accept: 'text/event-stream', ...headers } }));
  atEnd(() => answer.leave());
  return answer;
}
