import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the API saw it. */
export interface Seen {
  readonly method: string;
  /** As it was on the wire. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface TestApi {
  readonly url: string;
  readonly seen: Seen[];
  /** What is answered; an empty JSON object when absent. */
  answer: ((seen: Seen, response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

/** A real API on this machine that remembers what it was asked. */
export async function startApi(): Promise<TestApi> {
  const seen: Seen[] = [];
  const http = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      seen.push(one);
      if (api.answer) return api.answer(one, response);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const api: TestApi = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    seen,
    answer: undefined,
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return api;
}
