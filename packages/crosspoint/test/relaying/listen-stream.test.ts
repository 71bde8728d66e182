import { afterEach, expect, it } from 'vitest';
import { Client } from '../../src/client/index.ts';
import { Server } from '../../src/server/index.ts';
import { listenStreamOf } from '../../src/server/relaying.ts';
import { CARRIERS, closeAll, lines, serveHttp, serveOver, type CarrierName } from './carriers.ts';

afterEach(closeAll);

/** A server that notes what it knows of each listen stream. */
function face(): { server: Server; notes: string[] } {
  const notes: string[] = [];
  const server = new Server({ name: 'face', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler('tools/list', () => ({ tools: [] }));
  server.use(async ({ method, context }, next) => {
    if (method !== 'subscriptions/listen' || context === undefined) return next();
    const stream = listenStreamOf(context);
    void stream.ended.then(() => notes.push(`ended, open: ${stream.isOpen}`));
    try {
      return await next();
    } finally {
      notes.push(`answered, open: ${stream.isOpen}`);
    }
  });
  return { server, notes };
}

async function listening(where: string | number): Promise<{ client: Client; leave: () => void }> {
  const client = new Client({ name: 'listener', version: '1' }, { revisions: 'per-request', cache: false });
  await client.connect((typeof where === 'string' ? where : await lines(where)) as never);
  const stream = await client.listen({ toolsListChanged: true });
  return { client, leave: () => stream.close() };
}

const ENDED = ['answered, open: true', 'ended, open: false'];

it.each<CarrierName>(CARRIERS)('a listen stream over %s is told to have ended when its client leaves', async (by) => {
  const { server, notes } = face();
  const { client, leave } = await listening(await serveOver(by, server));
  expect(notes).toEqual(['answered, open: true']);
  leave();
  await expect.poll(() => notes).toEqual(ENDED);
  await client.close();
});

it('a listen stream is told to have ended when its time is over, of which the signal says nothing', async () => {
  const { server, notes } = face();
  const { client } = await listening(await serveHttp(server, { listenLifetimeMs: 100 }));
  await expect.poll(() => notes.slice(0, 2), { timeout: 5000 }).toEqual(ENDED);
  await client.close();
});

it('a listen stream that is refused was never open', async () => {
  const { server, notes } = face();
  const where = await serveHttp(server, { maxListens: 1 });
  const { client } = await listening(where);
  await expect(listening(where)).rejects.toThrow('No more than 1');
  expect(notes).toEqual(['answered, open: true', 'answered, open: false']);
  await client.close();
});
