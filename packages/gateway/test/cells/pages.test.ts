import { afterEach, describe, expect, it } from 'vitest';
import { Server, UrlElicitationRequiredError } from 'crosspoint/server';
import { CARRIERS, closeAll } from '../carriers.ts';
import { open } from './cell.ts';

afterEach(closeAll);

/** A server with a handshake that wants a page to be finished before it takes an order. */
function shop(): { server: Server; finish: () => void; calls: () => number } {
  const server = new Server({ name: 'shop', version: '1' }, { revisions: 'handshake', capabilities: { tools: {} } });
  const state = { calls: 0, isPaid: false, done: (): void => {} };
  server.setRequestHandler('tools/list', () => ({ tools: [] }));
  server.setRequestHandler('tools/call', (_request, { pageCompletion }) => {
    state.calls += 1;
    if (state.isPaid) return { content: [{ type: 'text', text: 'ordered' }] };
    state.done = pageCompletion('page-1');
    throw new UrlElicitationRequiredError([{ message: 'Pay', url: 'https://pay.example/1', elicitationId: 'page-1' }]);
  });
  const finish = (): void => {
    state.isPaid = true;
    state.done();
  };
  return { server, finish, calls: () => state.calls };
}

const capabilities = { elicitation: { url: {} } };

describe.each(CARRIERS)('a server over %s that wants a page to be finished first', (upBy) => {
  const cell = { down: 'per-request', up: 'handshake', downBy: 'http', upBy } as const;

  it('asks a client without a session for it, and is called again when it has said that it is finished', async () => {
    const { server, finish, calls } = shop();
    const asked: unknown[] = [];
    const { client } = await open(cell, {
      server,
      client: { capabilities },
      prepare: (one) =>
        one.setRequestHandler('elicitation/create', ({ params }) => {
          asked.push(params);
          setTimeout(finish, 30);
          return { action: 'accept' };
        }),
    });
    expect(await client.callTool({ name: 'order' })).toMatchObject({ content: [{ text: 'ordered' }] });
    expect(asked).toEqual([{ mode: 'url', message: 'Pay', url: 'https://pay.example/1' }]);
    expect(calls()).toBe(2);
  });

  it('is not called again when the user declines', async () => {
    const { server, calls } = shop();
    const { client } = await open(cell, {
      server,
      client: { capabilities },
      prepare: (one) => one.setRequestHandler('elicitation/create', () => ({ action: 'decline' })),
    });
    await expect(client.callTool({ name: 'order' })).rejects.toMatchObject({ code: -32603 });
    expect(calls()).toBe(1);
  });

  it('has a client that opens no pages told which capability is missing', async () => {
    const { server, calls } = shop();
    const { client } = await open(cell, { server });
    await expect(client.callTool({ name: 'order' })).rejects.toMatchObject({ kind: 'missing-capability' });
    expect(calls()).toBe(1);
  });

  it('deals with a client of its own family itself', async () => {
    const { server, finish } = shop();
    const { client } = await open(
      { ...cell, down: 'handshake' },
      {
        server,
        client: { capabilities },
        prepare: (one) =>
          one.setRequestHandler('elicitation/create', ({ params }) => {
            expect(params).toMatchObject({ elicitationId: 'page-1' });
            setTimeout(finish, 30);
            return { action: 'accept' };
          }),
      },
    );
    expect(await client.callTool({ name: 'order' })).toMatchObject({ content: [{ text: 'ordered' }] });
  });
});
