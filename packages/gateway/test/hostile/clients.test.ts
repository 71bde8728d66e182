import { connect as connectTo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from 'crosspoint/client';
import { exchange } from 'crosspoint/client/relaying';
import { messageInputs, framedInputs } from '../../../crosspoint/test/hostile/server-inputs.ts';
import { survives } from '../../../crosspoint/test/guard/faults.ts';
import { bridge, type BridgeOptions } from '../../src/index.ts';
import { CARRIERS, FAMILIES, atEnd, closeAll, connected, serveHttp, serveOver, type CarrierName } from '../carriers.ts';
import { ABLE, answering } from '../cells/cell.ts';
import { behind } from '../cells/behind.ts';
import { NOTHING, emptied, inside } from './inside.ts';
import { rawTo } from './scripted.ts';

afterEach(async () => {
  await closeAll();
  await expect.poll(inside).toEqual(NOTHING);
  emptied();
});

type Asked = { kind: 'input-required'; asks: Record<string, unknown>; state: string };
const CALL = { method: 'tools/call', params: { name: 'interview' } };
const accept = { action: 'accept', content: { name: 'Ada', town: 'Turin' } };
const answersTo = ({ asks }: Asked) => Object.fromEntries(Object.keys(asks).map((key) => [key, accept]));
const per = { ...ABLE, revisions: 'per-request' } as const;

/** 10,000 take 50 s. */
const WANTED = Number(process.env['WANTED'] ?? 300);

interface Front {
  readonly where: string | number;
  readonly good: Client;
  readonly problems: Error[];
  readonly seen: unknown[];
}

/** A bridge before a server with a handshake, and a client that behaves. */
async function front(
  options: BridgeOptions = {},
  by: CarrierName = 'http',
  up: (typeof FAMILIES)[number] = 'handshake',
): Promise<Front> {
  const { server, seen } = behind(up);
  const url = await serveHttp(server);
  const problems: Error[] = [];
  const face = bridge(url, { onproblem: (problem) => problems.push(problem), ...options });
  const where = await serveOver(by, face);
  atEnd(() => face.close());
  return { where, good: await connected(where, per, answering), problems, seen };
}

async function works({ good }: Front): Promise<void> {
  expect((await good.callTool({ name: 'report' })).content).toEqual([{ type: 'text', text: 'reported' }]);
}

describe('bytes and messages of a client that means harm', () => {
  // Sent in 100 MB they are for the transport, which the tests of the library cover.
  const inputs = [...framedInputs, ...messageInputs].filter(({ name }) => !name.includes('100 MB'));

  it.each(FAMILIES)(
    'do not reach others, nor end the bridge before a server of the %s family',
    (up) =>
      survives(async () => {
        const opened = await front({}, 'stdio', up);
        for (const { name, chunks, messages, handshakeOnly } of inputs) {
          if (handshakeOnly) continue;
          const { socket } = await rawTo(opened.where as number);
          const lines = messages?.((params) => params ?? {}).map((message) => `${JSON.stringify(message)}\n`) ?? [];
          for (const chunk of chunks?.() ?? lines) socket.write(chunk);
          await works(opened).catch((error: Error) => expect.unreachable(`${name}: ${error.message}`));
          socket.destroy();
        }
        await expect.poll(() => inside().calls).toBe(0);
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      }),
    120_000,
  );
});

describe('states that a client has not got from the bridge', () => {
  it("are refused, whether they are forged, another call's, or another caller's", async () => {
    const opened = await front();
    const { good } = opened;
    const asked = (await exchange(good, CALL)) as Asked;
    const answers = answersTo(asked);
    const forged = [
      '',
      'x',
      '{}',
      JSON.stringify({ park: 'x' }),
      `${asked.state}x`,
      asked.state.slice(1),
      'y'.repeat(100_000),
    ];
    for (const state of forged)
      await expect(exchange(good, CALL, { retry: { answers, state } }), state.slice(0, 20)).rejects.toThrow();
    const other = { method: 'prompts/get', params: { name: 'hello' } };
    await expect(exchange(good, other, { retry: { answers, state: asked.state } })).rejects.toMatchObject({
      code: -32602,
    });
    // The true one still counts.
    expect(await exchange(good, CALL, { retry: { answers, state: asked.state } })).toMatchObject({
      kind: 'input-required',
    });
  });

  it('with answers for questions that nobody asked, or that are no answers, change nothing', async () => {
    const { good } = await front();
    let asked = (await exchange(good, CALL)) as Asked;
    const odd = [
      { q99: accept },
      JSON.parse('{"__proto__":{"action":"accept"},"constructor":{}}') as Record<string, unknown>,
      Object.fromEntries(Object.keys(asked.asks).map((key) => [key, 'accept'])),
    ];
    for (const answers of odd) {
      const next = await exchange(good, CALL, { retry: { answers: answers as never, state: asked.state } }).catch(
        (error: Error) => error,
      );
      if (next instanceof Error) expect(next.message.length).toBeGreaterThan(10);
      else {
        expect((next as Asked).asks).toEqual(asked.asks);
        asked = next as Asked;
      }
    }
  });
});

describe('a client that wants too much', () => {
  it('retries in a storm: the server is answered once', async () => {
    const opened = await front();
    const asked = (await exchange(opened.good, CALL)) as Asked;
    const retry = { answers: answersTo(asked), state: asked.state };
    const storm = await Promise.allSettled(Array.from({ length: 300 }, () => exchange(opened.good, CALL, { retry })));
    const next = storm.filter(({ status }) => status === 'fulfilled');
    expect(next.length).toBeGreaterThan(0);
    for (const one of next) expect(JSON.stringify(one)).toContain('Town?');
    expect(inside()).toMatchObject({ parked: 1, calls: 1 });
    await works(opened);
  });

  it(`wants ${WANTED} calls to be parked: as many are as one caller may have`, async () => {
    const opened = await front({ parking: { perCaller: 20, forMs: 2000 } });
    const greedy = await connected(opened.where, per, answering);
    let parked = 0;
    let refused = 0;
    for (let round = 0; round < WANTED / 100; round += 1) {
      const all = await Promise.allSettled(Array.from({ length: 100 }, () => exchange(greedy, CALL)));
      parked += all.filter(({ status }) => status === 'fulfilled').length;
      refused += all.filter(({ status }) => status === 'rejected').length;
      expect(inside().parked).toBeLessThanOrEqual(20);
      if (round % 5 === 0) await works(opened);
    }
    expect(parked + refused).toBe(WANTED);
    expect(refused).toBeGreaterThan(parked);
    await expect.poll(() => inside().parked, { timeout: 10_000 }).toBe(0);
    await expect.poll(() => inside().calls, { timeout: 10_000 }).toBe(0);
  }, 120_000);

  it.each(FAMILIES)('subscribes to everything, and leaves, before a server of the %s family', async (up) => {
    const opened = await front({}, 'http', up);
    const greedy = await connected(opened.where, { revisions: 'handshake' });
    const uris = Array.from({ length: 300 }, (_, at) => `note://${at}`);
    await Promise.allSettled(uris.map((uri) => greedy.subscribeResource({ uri })));
    expect(inside().watches).toBeLessThanOrEqual(2);
    await works(opened);
    await greedy.close();
    await expect.poll(() => inside().links).toBe(0);
    await expect.poll(() => inside().watches).toBe(0);
  });

  it.each(FAMILIES)(
    'opens streams for changes without end, and leaves, before a server of the %s family',
    async (up) => {
      const opened = await front({}, 'http', up);
      const greedy = await connected(opened.where, { revisions: 'per-request' });
      const streams = await Promise.allSettled(
        Array.from({ length: 300 }, () => greedy.listen({ toolsListChanged: true })),
      );
      expect(streams.some(({ status }) => status === 'fulfilled')).toBe(true);
      await works(opened);
      expect(inside().sessions).toBeLessThanOrEqual(4);
      await greedy.close();
      await expect.poll(() => inside().watches, { timeout: 10_000 }).toBe(0);
    },
  );

  it.each(FAMILIES)('begins tasks without end before a server of the %s family', async (up) => {
    const opened = await front({}, 'http', up);
    // Without authentication, clients that say the same of themselves are one caller.
    const greedy = await connected(opened.where, { ...per, capabilities: { elicitation: {} } }, (client) =>
      client.setRequestHandler('elicitation/create', () => new Promise(() => {})),
    );
    const begun = await Promise.allSettled(Array.from({ length: 500 }, () => greedy.startTask({ name: 'job' })));
    const refused = begun.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refused.length).toBeGreaterThan(0);
    expect(inside().calls).toBeLessThanOrEqual(500);
    await works(opened);
  });

  it.each(CARRIERS)('asks for much over %s and reads nothing', async (by) => {
    const opened = await front({}, by);
    const port = by === 'http' ? Number(new URL(opened.where as string).port) : (opened.where as number);
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connectTo(port, '127.0.0.1').on('error', () => {});
        await once(socket, 'connect');
        atEnd(() => socket.destroy());
        socket.pause();
        return socket;
      }),
    );
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      progressToken: 1,
    };
    for (const [at, socket] of sockets.entries())
      for (let id = 0; id < 50; id += 1) {
        const body = JSON.stringify({
          jsonrpc: '2.0',
          id: `${at}-${id}`,
          method: 'tools/call',
          params: { name: 'report', _meta },
        });
        const headers = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Method: tools/call\r\nMcp-Name: report\r\nMCP-Protocol-Version: 2026-07-28\r\nContent-Length: ${body.length}\r\n\r\n`;
        socket.write(by === 'http' ? headers + body : `${body}\n`);
      }
    for (let turn = 0; turn < 5; turn += 1) await works(opened);
    await expect.poll(() => inside().calls, { timeout: 10_000 }).toBe(0);
  });
});
