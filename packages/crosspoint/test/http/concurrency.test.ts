import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { StreamableHTTPServerTransport } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import {
  HANDSHAKE,
  closeAll,
  initialize,
  listen,
  makeServer,
  openSession,
  send,
  serve,
  stateless,
  until,
  type Answer,
  type Message,
} from './serving.ts';

afterEach(closeAll);

const CLIENTS = 1000;
/** Every client uses these, so that ids alone say nothing about who asked. */
const IDS = [1, 2];

const answerOf = async (answer: Answer): Promise<{ id: unknown; text: unknown; progress: unknown[] }> => {
  await answer.over;
  const messages =
    answer.headers['content-type'] === 'application/json' ? [JSON.parse(answer.text) as Message] : answer.messages;
  const last = messages.at(-1);
  return {
    id: last?.id,
    text: last?.result?.content?.[0]?.text,
    progress: messages.slice(0, -1).map((message) => message.params?.progressToken),
  };
};
/** Answers come in another order than the questions did. */
const delay = (client: number, id: number): number => ((client * 7 + id * 13) % 40) + 1;

test('the question shows what it is for: a server that finds its callers by id alone gives them the answers of others', async () => {
  const waiting = new Map<unknown, ServerResponse>();
  const { http, port } = await listen((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const { id, params } = JSON.parse(text) as { id: number; params: { arguments: { text: string; ms: number } } };
      waiting.set(id, response);
      setTimeout(() => {
        waiting.get(id)?.writeHead(200, { 'content-type': 'application/json' });
        waiting
          .get(id)
          ?.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ text: params.arguments.text }] } }));
        waiting.delete(id);
      }, params.arguments.ms);
    });
  });
  const answered: string[] = [];
  for (const client of ['one', 'two'])
    void send({ port }, stateless('tools/call', { name: 'later', arguments: { text: client, ms: 50 } })).then(
      async (answer) => answered.push(`${client} got ${String((await answerOf(answer)).text)}`),
      () => {},
    );
  await until(() => answered.length === 1);
  expect(['two got one', 'one got two']).toContain(answered[0]);
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

describe('a thousand clients at once, with the same ids, on one server object', () => {
  test('stateless: every answer reaches the one who asked', { timeout: 60_000 }, async () => {
    const at = await serve();
    const asked = Array.from({ length: CLIENTS }, (_, client) => IDS.map((id) => ({ client, id }))).flat();
    const answers = await Promise.all(
      asked.map(async ({ client, id }) => {
        const text = `${client}/${id}`;
        return answerOf(
          await send(
            at,
            stateless('tools/call', { name: 'later', arguments: { text, ms: delay(client, id) } }, { id }),
          ),
        );
      }),
    );
    expect(answers).toEqual(asked.map(({ client, id }) => ({ id, text: `${client}/${id}`, progress: [] })));
    expect(at.handler.health.working).toBe(0);
  });

  test('sessions: every answer and every notification reaches the one who asked', { timeout: 60_000 }, async () => {
    const at = await serve();
    const sessions = await Promise.all(Array.from({ length: CLIENTS }, () => openSession(at)));
    const answers = await Promise.all(
      sessions.map(async (session, client) =>
        answerOf(
          await session.call(
            1,
            client % 2 === 0 ? 'count' : 'later',
            client % 2 === 0 ? { to: 2 } : { text: String(client), ms: delay(client, 1) },
            { progressToken: client },
          ),
        ),
      ),
    );
    for (const [client, answer] of answers.entries()) {
      expect(answer).toMatchObject({ id: 1, text: client % 2 === 0 ? 'counted 2' : String(client) });
      expect(answer.progress.every((token) => token === client)).toBe(true);
    }
  });

  proves('L-SDK-018, L-SDK-019, L-SDK-020, L-SDK-022').test(
    'a new transport for every POST: the quick start is safe, and leaves nothing behind',
    { timeout: 60_000 },
    async () => {
      const server = makeServer();
      const transports = new Set<StreamableHTTPServerTransport>();
      const { http, port } = await listen((request, response) => {
        void (async () => {
          const transport = new StreamableHTTPServerTransport({
            sessionIdGenerator: undefined,
            enableJsonResponse: true,
          });
          transports.add(transport);
          response.on('close', () => {
            transports.delete(transport);
            void transport.close();
          });
          await server.connect(transport);
          await transport.handleRequest(request, response);
        })();
      });
      const opened = await send({ port }, { body: initialize() });
      expect(opened.headers['mcp-session-id']).toBeUndefined();
      expect((await opened.json()).result).toMatchObject({ protocolVersion: HANDSHAKE });
      const answers = await Promise.all(
        Array.from({ length: CLIENTS }, async (_, client) => {
          const body = {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'later', arguments: { text: String(client), ms: delay(client, 1) } },
          };
          const answer = await send({ port }, { body, headers: { 'mcp-protocol-version': HANDSHAKE } });
          expect(answer.headers['content-type']).toBe('application/json');
          return answerOf(answer);
        }),
      );
      expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: CLIENTS }, (_, client) => String(client)));
      await until(() => transports.size === 0 && !server.isConnected());
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  );
});
