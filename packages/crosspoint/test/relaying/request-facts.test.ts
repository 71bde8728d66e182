import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { exchange } from '../../src/client/relaying.ts';
import { tasksExtension } from '../../src/extensions/tasks/tasks-extension.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { CARRIERS, closeAll, connected, serveOver } from './carriers.ts';

afterEach(closeAll);

function telling(): McpServer {
  const server = new McpServer({ name: 'upstream', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('who', {}, ({ client, capabilities, facts, log }) => {
    log('info', 'asked');
    return text(JSON.stringify({ name: client?.name, can: Object.keys(capabilities), level: facts.logLevel }));
  });
  return server;
}

async function who(client: Client, options?: Parameters<typeof exchange>[2]): Promise<unknown> {
  const outcome = await exchange(client, { method: 'tools/call', params: { name: 'who' } }, options);
  if (outcome.kind !== 'complete') throw new Error(outcome.kind);
  return JSON.parse((outcome.result['content'] as [{ text: string }])[0].text);
}

const FACTS = { client: { name: 'editor', version: '2' }, capabilities: { roots: {} }, logLevel: 'info' } as const;

describe.each(CARRIERS)('facts of one request, over %s', (carrier) => {
  it('replace those of the client, each by itself', async () => {
    const told: unknown[] = [];
    const client = await connected(await serveOver(carrier, telling()), {
      revisions: 'per-request',
      capabilities: { elicitation: {} },
      onlog: ({ data }) => void told.push(data),
    });
    expect(await who(client)).toEqual({ name: 'relay', can: ['elicitation', 'extensions'] });
    expect(told).toEqual([]);
    expect(await who(client, { facts: FACTS })).toEqual({ name: 'editor', can: ['roots'], level: 'info' });
    expect(told).toEqual(['asked']);
    expect(await who(client, { facts: { client: FACTS.client } })).toEqual({
      name: 'editor',
      can: ['elicitation', 'extensions'],
    });
    expect(await who(client)).toEqual({ name: 'relay', can: ['elicitation', 'extensions'] });
  });

  it('are no matter after a handshake', async () => {
    const client = await connected(await serveOver(carrier, telling()), { revisions: 'handshake' });
    expect(await who(client, { facts: FACTS })).toEqual({ name: 'relay', can: [] });
  });

  it('say which results the request may have', async () => {
    const server = telling();
    server.use(tasks());
    server.registerTool('long', { task: { support: 'optional' } }, () => text('done'));
    const where = await serveOver(carrier, server);
    const client = await connected(where, { revisions: 'per-request', tasks: false });
    const request = { method: 'tools/call', params: { name: 'long' } };
    const declared = { ...FACTS, capabilities: { extensions: { [tasksExtension.id]: {} } } };
    expect((await exchange(client, request)).kind).toBe('complete');
    const other = await connected(where, { revisions: 'per-request' });
    expect((await exchange(other, request, { facts: declared })).kind).toBe('task');
    expect((await exchange(other, request, { facts: FACTS })).kind).toBe('complete');
  });
});
