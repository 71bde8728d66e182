import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from 'crosspoint/client';
import { survives } from '../../../crosspoint/test/guard/faults.ts';
import { bridge } from '../../src/index.ts';
import { FAMILIES, atEnd, closeAll, connected, serveHttp, type FamilyName } from '../carriers.ts';
import { ABLE, answering } from '../cells/cell.ts';
import { NOTHING, emptied, inside } from './inside.ts';
import { scripted, told, type Scripted, type Tool } from './scripted.ts';

afterEach(async () => {
  await closeAll();
  await expect.poll(inside).toEqual(NOTHING);
  emptied();
});

const ask = (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  method: 'elicitation/create',
  params: { message: `${String(id)}?`, requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } },
});

/** Asks again as soon as it has an answer, until it is cancelled. */
const again: Tool = ({ id, line }) => {
  let at = 0;
  line.write(ask('a0'));
  const timer = setInterval(() => {
    if (line.cancelled.has(id) || line.socket.destroyed) return clearInterval(timer);
    if (line.answers.delete(`a${at}`)) line.write(ask(`a${(at += 1)}`));
  }, 1);
};

/** Ends the connection in one of several ways. */
const CLOSING: readonly Tool[] = [
  ({ line }) => void line.socket.destroy(),
  ({ line }) => void line.socket.end(),
  ({ id, line }) => {
    line.socket.write(JSON.stringify({ jsonrpc: '2.0', id, result: told('half') }).slice(0, 20));
    line.socket.destroy();
  },
  ({ line }) => {
    line.write(ask('last'));
    line.socket.end();
  },
  ({ id, line }) => {
    line.write({ jsonrpc: '2.0', id, result: told('done') });
    line.socket.end();
  },
];

async function before(script: Scripted, family: FamilyName): Promise<Client> {
  const face = bridge(script.upstream, { parking: { forMs: 300 }, sessions: { idleMs: 100 } });
  const url = await serveHttp(face);
  atEnd(() => face.close());
  return connected(url, { ...ABLE, revisions: family }, answering);
}

describe.each(FAMILIES)('a fickle server before a client of the %s family', (family) => {
  it('that asks again after every answer is left when the client has had enough', () =>
    survives(async () => {
      const client = await before(await scripted({ again }), family);
      const abort = new AbortController();
      const call = client.callTool({ name: 'again' }, { signal: abort.signal });
      setTimeout(() => abort.abort(), 500);
      await expect(call).rejects.toThrow();
      await expect.poll(() => inside().calls, { timeout: 5000 }).toBe(0);
      expect(inside().parked).toBe(0);
      expect(await client.callTool({ name: 'fine' })).toMatchObject(told('fine relay'));
    }));

  it('that closes in the middle of calls is an error for each of them, and is reached again', () =>
    survives(async () => {
      let at = 0;
      const close: Tool = (call) => CLOSING[(at += 1) % CLOSING.length]?.(call);
      const client = await before(await scripted({ close }), family);
      for (let turn = 0; turn < 3 * CLOSING.length; turn += 1) {
        const outcome = await client.callTool({ name: 'close' }).catch((error: Error) => error);
        if (outcome instanceof Error) expect(outcome.message.length).toBeGreaterThan(10);
        else expect(outcome).toMatchObject(told('done'));
        // The connection may end while the next call is on its way.
        const fine = (): Promise<unknown> => client.callTool({ name: 'fine' });
        expect(await fine().catch(fine)).toMatchObject(told('fine relay'));
      }
      expect(inside()).toMatchObject({ calls: 0, parked: 0 });
    }));

  it('that says something else of itself in every connection serves calls', () =>
    survives(async () => {
      let at = 0;
      const odd = [
        { tools: {} },
        {},
        { tools: { listChanged: true }, logging: {}, tasks: {} },
        { tools: null, x: 1 },
        { prompts: {} },
      ];
      const close: Tool = ({ line }) => void line.socket.destroy();
      const script = await scripted({ close }, () => odd[(at += 1) % odd.length] ?? {});
      for (let turn = 0; turn < 2; turn += 1) {
        const client = await before(script, family).catch((error: Error) => error);
        if (client instanceof Error) {
          expect(client.message.length).toBeGreaterThan(10);
          continue;
        }
        for (let call = 0; call < 6; call += 1) {
          await client
            .callTool({ name: 'close' })
            .catch((error: Error) => expect(error.message.length).toBeGreaterThan(10));
          await client
            .callTool({ name: 'fine' })
            .catch((error: Error) => expect(error.message.length).toBeGreaterThan(10));
        }
      }
      expect(inside().calls).toBe(0);
    }));
});
