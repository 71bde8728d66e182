import { request, type IncomingHttpHeaders } from 'node:http';

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is. */
  readonly body?: unknown;
}

export interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Everything that has come so far. */
  text(): string;
  /** Resolves with everything, when the answer has ended. */
  readonly whole: Promise<string>;
  /** Leaves, without waiting for the rest. */
  leave(): void;
}

export const BOTH = 'application/json, text/event-stream';

/** Sends a request as it is written. Resolves as soon as the head of the answer is there. */
export function ask(url: string, { method = 'POST', path = '/', headers = {}, body }: Asked): Promise<Answered> {
  const usual = method === 'POST' ? { 'content-type': 'application/json', accept: BOTH } : { accept: BOTH };
  return new Promise((resolve, reject) => {
    const asked = request(url + path, { method, headers: { ...usual, ...headers } }, (response) => {
      let text = '';
      const whole = new Promise<string>((done) => void response.on('close', () => done(text)));
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      resolve({
        status: response.statusCode,
        headers: response.headers,
        text: () => text,
        whole,
        leave: () => asked.destroy(),
      });
    });
    asked.on('error', reject);
    asked.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
}

export const initialize = (protocolVersion = '2025-11-25', id: string | number = 'init'): object => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

export const call = (id: string | number, name: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {}, ...params },
});
