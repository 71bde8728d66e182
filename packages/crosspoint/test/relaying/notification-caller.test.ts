import { afterEach, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/index.ts';
import { Server, type Caller } from '../../src/server/index.ts';
import { CELLS, closeAll, lines, serveOver } from './carriers.ts';

afterEach(closeAll);

const authInfo = { token: 't', clientId: 'ada', scopes: ['news'] };

describe.each(CELLS)('a notification over $carrier, $family', ({ carrier, family }) => {
  it('has its sender, for handlers and middleware', async () => {
    const told: [string, Caller][] = [];
    const server = new Server({ name: 'face', version: '1.0.0' });
    server.setNotificationHandler('acme/news', ({ method }, from) => void told.push([method, from]));
    server.fallbackNotificationHandler = ({ method }, from) => void told.push([`fallback ${method}`, from]);
    const where = await serveOver(carrier, server, { authenticate: () => authInfo });
    const client = new Client({ name: 'editor', version: '2' }, { revisions: family, capabilities: { roots: {} } });
    await client.connect((typeof where === 'string' ? where : await lines(where)) as never);
    const { sessionId } = client.transport ?? {};
    await client.notification({ method: 'acme/news', params: { n: 1 } });
    await client.notification({ method: 'acme/other' });
    const names = (): unknown[] => told.map(([name]) => name).filter((name) => name.includes('acme'));
    await expect.poll(names).toEqual(['acme/news', 'fallback acme/other']);
    const hasSession = family === 'handshake';
    const sender = {
      family,
      authInfo: carrier === 'http' ? authInfo : undefined,
      principal: carrier === 'http' ? JSON.stringify(['ada', null]) : undefined,
      sessionId,
      client: hasSession ? { name: 'editor', version: '2' } : undefined,
      capabilities: hasSession ? { roots: {} } : {},
    };
    for (const [name, from] of told) if (name.includes('acme')) expect(from).toMatchObject(sender);
    expect(sessionId !== undefined).toBe(hasSession && carrier === 'http');

    told.length = 0;
    const seen: Caller[] = [];
    server.use((operation, next) => {
      seen.push(operation.caller);
      return next(operation.params);
    });
    await client.notification({ method: 'acme/news' });
    await expect.poll(names).toEqual(['acme/news']);
    expect(seen).toMatchObject([sender]);
    expect(told[0]?.[1]).toBe(seen[0]);
    await client.close();
  });

  it('and a request has its own', async () => {
    const server = new Server({ name: 'face', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', () => ({ content: [] }));
    const seen: (string | undefined)[] = [];
    server.use((operation, next) => {
      if (operation.method === 'tools/call')
        seen.push(operation.caller.client?.name, operation.caller.authInfo?.clientId);
      return next();
    });
    const where = await serveOver(carrier, server, { authenticate: () => authInfo });
    const client = new Client({ name: 'editor', version: '2' }, { revisions: family });
    await client.connect((typeof where === 'string' ? where : await lines(where)) as never);
    await client.callTool({ name: 'any' });
    expect(seen).toEqual(['editor', carrier === 'http' ? 'ada' : undefined]);
    await client.close();
  });
});
