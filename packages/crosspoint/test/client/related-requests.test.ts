import { afterEach, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { closeAll, serve } from '../http/serving.ts';

afterEach(closeAll);

const served = async (server: McpServer): Promise<string> =>
  `http://127.0.0.1:${(await serve({}, {}, server)).port}/mcp`;

function askingServer(): McpServer {
  const server = new McpServer({ name: 'asking', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('ask', { description: 'Asks and tells.' }, async (ctx) => {
    ctx.log('warning', 'about to ask');
    const answer = await ctx.elicit({ message: 'Who?', requestedSchema: { type: 'object', properties: {} } });
    return { content: [{ type: 'text', text: answer.action }] };
  });
  return server;
}

describe.each(['handshake', 'per-request'] as const)('over HTTP, %s', (family) => {
  it('a question and a notification name the call on whose stream they came', async () => {
    const url = await served(askingServer());
    const client = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: {} }, revisions: family });
    const asked: unknown[] = [];
    const told: unknown[] = [];
    client.setRequestHandler('elicitation/create', (_, { relatedRequestId }) => {
      asked.push(relatedRequestId);
      return { action: 'decline' };
    });
    client.setNotificationHandler(
      'notifications/message',
      (_, { relatedRequestId }) => void told.push(relatedRequestId),
    );
    await client.connect(url);
    await client.setLoggingLevel('info');
    const sent: unknown[][] = [[], [], []];
    const call = (ids: unknown[]) => client.callTool({ name: 'ask' }, { onsent: (id) => void ids.push(id) });
    await Promise.all(sent.map(call));
    const ids = sent.flat();
    expect(new Set(ids).size).toBe(ids.length);
    const first = sent.map(([id]) => id).sort();
    expect(asked.sort()).toEqual(first);
    expect([...new Set(told)].sort()).toEqual(first);
    // With a round for the question, a call without a session is sent twice.
    expect(sent.map(({ length }) => length)).toEqual(family === 'handshake' ? [1, 1, 1] : [2, 2, 2]);
    await client.close();
  });
});

it('a notification on the standing stream names none', async () => {
  const server = askingServer();
  const url = await served(server);
  const client = new Client({ name: 'c', version: '1' }, { revisions: 'handshake' });
  const told = new Promise((resolve) =>
    client.setNotificationHandler('notifications/tools/list_changed', (_, { relatedRequestId }) =>
      resolve(relatedRequestId),
    ),
  );
  await client.connect(url);
  await client.listTools();
  server.registerTool('more', {}, () => ({ content: [] }));
  expect(await told).toBeNull();
  await client.close();
});

it('a callback that throws when a request is sent hurts nothing', async () => {
  const url = await served(askingServer());
  const problems: string[] = [];
  const client = new Client({ name: 'c', version: '1' }, { onproblem: ({ message }) => void problems.push(message) });
  await client.connect(url);
  const options = {
    onsent: () => {
      throw new Error('the callback failed');
    },
  };
  expect(await client.ping(options)).toEqual({});
  expect(problems).toEqual(['the callback failed']);
  await client.close();
});
