import { afterEach, describe, expect, it } from 'vitest';
import type { Ask } from '../../src/protocol/outcome.ts';
import { Server, inputRequired, type ServerContext } from '../../src/server/index.ts';
import { cannotAsk } from '../../src/server/relaying.ts';
import { CELLS, closeAll, connected, serveOver } from './carriers.ts';

afterEach(closeAll);

/** A question that this library would not let its own authors ask: a secret in a form, and a member that nobody knows. */
const SECRET: Ask = {
  method: 'elicitation/create',
  params: {
    message: 'Log in',
    requestedSchema: { type: 'object', properties: { password: { type: 'string' } }, 'x-odd': [1] },
    'x-more': true,
  },
};
const SAMPLING: Ask = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 0 } };
const URL_ASK: Ask = { method: 'elicitation/create', params: { mode: 'url', message: 'Go', url: 'not a url' } };

type Handler = (ctx: ServerContext) => object | Promise<object>;

function face(handler: Handler): Server {
  const server = new Server({ name: 'face', version: '1.0.0' }, { capabilities: { tools: {}, completions: {} } });
  server.setRequestHandler('tools/call', (_request, ctx) => handler(ctx));
  server.setRequestHandler('completion/complete', (_request, ctx) => handler(ctx));
  return server;
}

const text = (value: unknown): object => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

const EXPLICIT =
  (relayed: boolean): Handler =>
  ({ inputResponses }) =>
    inputResponses === undefined ? inputRequired({ inputRequests: { q: SECRET }, relayed }) : text(inputResponses['q']);
const SENT =
  (relayed: boolean): Handler =>
  async ({ sendRequest }) =>
    text(await sendRequest(SECRET, undefined, { relayed }));

describe.each(CELLS)('questions of others over $carrier, $family', ({ carrier, family }) => {
  const asked: unknown[] = [];
  const ask = async (handler: Handler): Promise<unknown> => {
    asked.length = 0;
    const client = await connected(
      await serveOver(carrier, face(handler)),
      { revisions: family, capabilities: { elicitation: {} }, relayed: true },
      (made) =>
        made.setRequestHandler('elicitation/create', ({ params }) => {
          asked.push(params);
          return { action: 'accept', content: { password: 'x' } };
        }),
    );
    return client.callTool({ name: 'any' });
  };

  it.each([
    ['returned', EXPLICIT],
    ['sent', SENT],
  ])('%s: go out word for word', async (_style, handler) => {
    expect(await ask(handler(true))).toMatchObject(text({ action: 'accept', content: { password: 'x' } }));
    expect(asked).toMatchObject([SECRET.params]);
    expect(Object.keys(asked[0] as object).filter((key) => key !== '_meta')).toEqual(Object.keys(SECRET.params));
  });

  it.each([
    ['returned', EXPLICIT],
    ['sent', SENT],
  ])("%s: the author's own are refused as before", async (_style, handler) => {
    await expect(ask(handler(false))).rejects.toThrow();
    expect(asked).toEqual([]);
  });

  it('need what the client has declared', async () => {
    const ended = await ask(({ inputResponses }) =>
      inputResponses === undefined ? inputRequired({ inputRequests: { q: SAMPLING }, relayed: true }) : text('asked'),
    ).catch((error: Error) => error.message);
    expect(JSON.stringify(ended)).toMatch(/has not declared sampling/);
    expect(asked).toEqual([]);
  });

  it('can be looked at beforehand', async () => {
    const faults = await ask((ctx) =>
      text(
        [SECRET, SAMPLING, URL_ASK, { method: 'roots/list', params: {} } as const].map(
          (one) => cannotAsk(ctx, one)?.kind,
        ),
      ),
    );
    expect(faults).toMatchObject(text([null, 'missing-capability', 'missing-capability', 'missing-capability']));
  });

  it('say whether the request may ask at all', async () => {
    const client = await connected(
      await serveOver(
        carrier,
        face((ctx) => ({ kind: cannotAsk(ctx, SECRET)?.kind ?? 'may' })),
      ),
      {
        revisions: family,
        capabilities: { elicitation: {} },
      },
    );
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };
    expect(await client.request({ method: 'completion/complete', params })).toMatchObject({
      kind: family === 'handshake' ? 'may' : 'cannot-ask',
    });
  });
});

describe('a client whose revision has no words for a question', () => {
  it('is known beforehand', async () => {
    const where = await serveOver(
      'http',
      face((ctx) => text(cannotAsk(ctx, SECRET)?.kind ?? null)),
    );
    const client = await connected(where, { revisions: ['2025-03-26'], capabilities: { elicitation: {} } });
    expect(JSON.stringify(await client.callTool({ name: 'any' }))).toMatch(/cannot-ask|missing-capability/);
  });
});
