import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { McpServer, Server, inputRequired } from '../../src/server/index.ts';
import { CARRIERS, CELLS, closeAll, connected, serveOver } from './carriers.ts';

afterEach(closeAll);

const FORM = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
const BAD = { action: 'accept', content: { age: 'old', more: 1 }, odd: true };

/** Asks in the explicit style, and gives back the answer as it came. */
function asking(ask: { method: string; params: JsonObject }): Server {
  const server = new Server({ name: 'upstream', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async (_request, { inputResponses }) =>
    inputResponses === undefined
      ? inputRequired({ inputRequests: { q: ask as never } })
      : { content: [{ type: 'text', text: JSON.stringify(inputResponses['q']) }] },
  );
  return server;
}

const ELICITATION = { method: 'elicitation/create', params: { mode: 'form', message: 'Age?', requestedSchema: FORM } };
const SAMPLING = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 1 },
};

describe.each(CELLS)('answers of others over $carrier, $family', ({ carrier, family }) => {
  it.each([
    { ask: ELICITATION, answer: BAD },
    { ask: SAMPLING, answer: { model: 7, extra: [] } },
  ])('to $ask.method are sent as they are', async ({ ask, answer }) => {
    const where = await serveOver(carrier, asking(ask));
    const client = await connected(
      where,
      { revisions: family, capabilities: { elicitation: {}, sampling: {} }, relayed: true },
      (made) => made.setRequestHandler(ask.method, () => answer as never),
    );
    const { content } = await client.callTool({ name: 'any' });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(answer) }]);
  });

  it('are checked otherwise', async () => {
    const client = await connected(
      await serveOver(carrier, asking(ELICITATION)),
      { revisions: family, capabilities: { elicitation: {} } },
      (made) => made.setRequestHandler('elicitation/create', () => BAD as never),
    );
    await expect(client.callTool({ name: 'any' })).rejects.toThrow();
  });

  it('need the capability all the same', async () => {
    const client = await connected(
      await serveOver(carrier, asking(SAMPLING)),
      { revisions: family, capabilities: { elicitation: {} }, relayed: true },
      (made) => (made.fallbackRequestHandler = () => ({ ok: true })),
    );
    const ended = await client.callTool({ name: 'any' }).catch((error: Error) => error.message);
    expect(JSON.stringify(ended)).toMatch(/has not declared sampling/);
  });
});

it.each(CARRIERS)('a question is given as it came, whatever it says, over %s', async (carrier) => {
  const strange = { ...SAMPLING, params: { messages: 'none' } };
  // Without a check on the side that asks, as another library may be.
  const server = new McpServer({ name: 'upstream', version: '1.0.0' });
  server.server.setNotificationHandler('acme/ask', () => {
    void server.server.request({ method: strange.method, params: strange.params }).then(
      (answer) => answers.push(answer),
      (error: unknown) => answers.push(error),
    );
  });
  const answers: unknown[] = [];
  const asked: unknown[] = [];
  const client = await connected(
    await serveOver(carrier, server),
    { revisions: 'handshake', capabilities: { sampling: {} }, relayed: true },
    (made) =>
      made.setRequestHandler('sampling/createMessage', ({ params }) => {
        asked.push(params);
        return { said: 'something' } as never;
      }),
  );
  await client.notification({ method: 'acme/ask' });
  await expect.poll(() => answers).toEqual([{ said: 'something' }]);
  expect(asked).toEqual([strange.params]);
});
