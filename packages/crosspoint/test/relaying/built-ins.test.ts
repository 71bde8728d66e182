import { afterEach, describe, expect, it } from 'vitest';
import { Server } from '../../src/server/index.ts';
import { CARRIERS, closeAll, connected, serveOver } from './carriers.ts';

afterEach(closeAll);

describe.each(CARRIERS)('a fallback handler, over %s', (carrier) => {
  it('does not take the place of what the library answers itself', async () => {
    const seen: string[] = [];
    const server = new Server({ name: 'face', version: '1.0.0' }, { capabilities: { logging: {}, tools: {} } });
    server.fallbackRequestHandler = ({ method }, { log }) => {
      seen.push(method);
      log('info', 'not severe');
      log('error', 'severe');
      return {};
    };
    const logs: unknown[] = [];
    const client = await connected(await serveOver(carrier, server), {
      revisions: 'handshake',
      onlog: ({ data }) => void logs.push(data),
    });
    await client.setLoggingLevel('error');
    await client.ping();
    expect(seen).toEqual([]);
    await client.request({ method: 'acme/other' });
    expect(seen).toEqual(['acme/other']);
    await expect.poll(() => logs).toEqual(['severe']);
  });

  it('leaves a handler of the program for logging/setLevel in its place', async () => {
    const levels: unknown[] = [];
    const server = new Server({ name: 'face', version: '1.0.0' }, { capabilities: { logging: {} } });
    server.setRequestHandler('logging/setLevel', ({ params }) => {
      levels.push(params['level']);
      return {};
    });
    const client = await connected(await serveOver(carrier, server), { revisions: 'handshake' });
    await client.setLoggingLevel('error');
    expect(levels).toEqual(['error']);
  });
});
