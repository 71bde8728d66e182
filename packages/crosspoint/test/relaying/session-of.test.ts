import { afterEach, describe, expect, it } from 'vitest';
import { Server } from '../../src/server/index.ts';
import { sessionOf } from '../../src/server/relaying.ts';
import { CARRIERS, closeAll, connected, serveHttp, serveOver } from './carriers.ts';

afterEach(closeAll);

type Session = NonNullable<ReturnType<typeof sessionOf>>;

/** A server that keeps the sessions of those who call it, by the name of the client. */
function keeping(): { server: Server; sessions: (Session | undefined)[] } {
  const sessions: (Session | undefined)[] = [];
  const server = new Server({ name: 'face', version: '1.0.0' }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler('tools/call', (_request, ctx) => {
    sessions.push(sessionOf(ctx));
    return { content: [] };
  });
  return { server, sessions };
}

describe.each(CARRIERS)('the session of a client, over %s', (carrier) => {
  it('is asked and told, each client by itself, outside of any request', async () => {
    const { server, sessions } = keeping();
    const where = await serveOver(carrier, server);
    const told: string[][] = [[], []];
    const clients = await Promise.all(
      told.map((list, index) =>
        connected(where, { revisions: 'handshake', capabilities: { roots: {} } }, (made) => {
          made.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file:///${index}` }] }));
          made.fallbackRequestHandler = ({ method }) => ({ said: `${method} ${index}` });
          made.fallbackNotificationHandler = ({ method, params }) =>
            void list.push(`${method} ${JSON.stringify(params)}`);
        }),
      ),
    );
    for (const client of clients) await client.callTool({ name: 'any' });
    const [first, second] = sessions;
    expect(await first?.request({ method: 'roots/list' })).toEqual({ roots: [{ uri: 'file:///0' }] });
    expect(await second?.request({ method: 'acme/ask', params: { x: 1 } })).toEqual({ said: 'acme/ask 1' });
    second?.notify({ method: 'acme/news', params: { n: 2 } });
    await expect.poll(() => told).toEqual([[], ['acme/news {"n":2}']]);
    expect(first?.id).toBe(clients[0]?.transport?.sessionId);
    await clients[0]?.callTool({ name: 'any' });
    expect(sessions[2]).toBe(first);
  });

  it('keeps to the level and the capabilities of its client', async () => {
    const { server, sessions } = keeping();
    const logs: unknown[] = [];
    const client = await connected(await serveOver(carrier, server), {
      revisions: 'handshake',
      onlog: ({ data }) => void logs.push(data),
    });
    await client.setLoggingLevel('error');
    await client.callTool({ name: 'any' });
    const [session] = sessions;
    session?.notify({ method: 'notifications/message', params: { level: 'info', data: 'quiet' } });
    session?.notify({ method: 'notifications/message', params: { level: 'error', data: 'loud' } });
    await expect.poll(() => logs).toEqual(['loud']);
    await expect(session?.request({ method: 'roots/list' })).rejects.toMatchObject({ kind: 'missing-capability' });
  });

  it('says when it has ended, and asks nobody then', async () => {
    const { server, sessions } = keeping();
    const client = await connected(await serveOver(carrier, server), {
      revisions: 'handshake',
      capabilities: { roots: {} },
    });
    await client.callTool({ name: 'any' });
    await server.close();
    await sessions[0]?.closed;
    await expect(sessions[0]?.request({ method: 'roots/list' }, { timeout: 500 })).rejects.toThrow();
    expect(() => sessions[0]?.notify({ method: 'acme/news' })).not.toThrow();
  });

  it('does not exist for a client without a session', async () => {
    const { server, sessions } = keeping();
    const client = await connected(await serveOver(carrier, server), { revisions: 'per-request' });
    await client.callTool({ name: 'any' });
    expect(sessions).toEqual([undefined]);
  });
});

it('does not exist where HTTP has no sessions', async () => {
  const { server, sessions } = keeping();
  const client = await connected(await serveHttp(server, { sessions: false }), { revisions: 'handshake' });
  await client.callTool({ name: 'any' });
  expect(sessions).toEqual([undefined]);
});
