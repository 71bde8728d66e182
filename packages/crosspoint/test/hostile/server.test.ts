import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/revisions/index.ts';
import * as library from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { InMemoryTransport } from '../../src/testing/index.ts';
import { createSuiteServer } from '../fixtures/suite/suite-server.mjs';
import { proves } from '../requirements/proves.ts';
import { idsAbout } from '../suites/subject.ts';
import { RawChild } from './raw-child.ts';
import { dressedInputs, framedInputs, messageInputs, type ServerInput } from './server-inputs.ts';
import { describeAnswers, readTables } from './table.ts';

const CHILD = fileURLToPath(new URL('../fixtures/suite/suite-child.mjs', import.meta.url));
const table = readTables().get('Sent to a server');

/** A server that is connected and ready, at the other end of something. */
interface Wire {
  send(input: ServerInput): Promise<void>;
  /** What came up to the answer with this id, that answer included. */
  take(id: unknown): Promise<Record<string, any>[]>;
  close(): Promise<void>;
}

type Envelope = (params?: object) => object;

function envelopeOf(revision: (typeof revisions)[number]): Envelope {
  if (revision.family === 'handshake') return (params = {}) => params;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision.id,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return (params = {}) => ({ ...params, _meta });
}

const opening = (id: string): object[] => [
  {
    jsonrpc: '2.0',
    id: 'open',
    method: 'initialize',
    params: { protocolVersion: id, capabilities: {}, clientInfo: { name: 'hostile', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
];

function childWire(): Wire {
  const child = new RawChild([CHILD, 'everything']);
  return {
    send: async ({ chunks, messages }) => {
      for (const chunk of chunks?.() ?? []) await child.write(chunk);
      const lines = messages?.((params) => params ?? {}).map((message) => `${JSON.stringify(message)}\n`) ?? [];
      if (lines.length > 0) await child.write(lines.join(''));
    },
    take: (id) => child.take((message) => message['id'] === id),
    close: () => child.end(),
  };
}

async function memoryWire(): Promise<Wire> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const received: Record<string, any>[] = [];
  near.onmessage = (message) => void received.push(message as Record<string, any>);
  await createSuiteServer({ ...library, tasks }, 'everything').connect(far);
  await near.start();
  return {
    send: async ({ messages }) => {
      for (const message of messages?.((params) => params ?? {}) ?? [])
        near.send(structuredClone(message) as JSONRPCMessage);
    },
    take: async (id) => {
      for (let turn = 0; turn < 10_000; turn++) {
        const index = received.findIndex((message) => message['id'] === id);
        if (index !== -1) return received.splice(0, index + 1);
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error(`No answer with the id ${String(id)} came.`);
    },
    close: () => near.close(),
  };
}

const IDS = 'L-MESSAGES-006, L-MESSAGES-008, L-MESSAGES-015, L-MESSAGES-026, M-BASE-006, M-BASE-012, M-ERR-001';
const ROW_IDS: Readonly<Record<string, string>> = {
  'bytes that are no UTF-8': 'L-MESSAGES-021, M-BASE-046',
  'an array where an object belongs': 'L-MESSAGES-020, L-STDIO-011',
  'no jsonrpc': 'L-MESSAGES-001',
  'another jsonrpc': 'L-MESSAGES-001',
  'a fractional id': 'L-MESSAGES-003',
  'a null id': 'L-MESSAGES-004',
  'params that are an array': 'L-MESSAGES-025',
  'a second handshake': 'L-LIFECYCLE-001',
  'a malformed notification': 'L-CANCELLATION-012, L-MESSAGES-015, M-CAN-017, M-BASE-012',
  'an unknown notification': 'L-MESSAGES-015, M-BASE-012',
  'an answer to nothing': 'L-MESSAGES-015',
};

function hostile(
  revision: (typeof revisions)[number],
  inputs: readonly ServerInput[],
  connect: () => Wire | Promise<Wire>,
): void {
  const envelope = envelopeOf(revision);
  let wire: Wire;
  let probes = 0;
  beforeAll(async () => {
    wire = await connect();
    if (revision.family === 'handshake') await wire.send({ name: 'opening', messages: () => opening(revision.id) });
    if (revision.family === 'handshake') await wire.take('open');
  });
  afterAll(() => wire.close());

  const usual = inputs.filter(
    ({ noBatches, handshakeOnly }) =>
      !(noBatches && revision.batches) && !(handshakeOnly && revision.family !== 'handshake'),
  );
  for (const input of usual)
    proves(idsAbout(revision.id, ROW_IDS[input.name] ?? '')).it(input.name, async () => {
      const row = table?.get(input.name);
      expect(row, 'a row in docs/bad-input.md').toBeDefined();
      const probe = `probe ${++probes}`;
      const own: ServerInput =
        input.messages === undefined ? input : { ...input, messages: () => input.messages!(envelope) };
      await wire.send(own);
      const earlier = input.until === undefined ? [] : await wire.take(input.until);
      await wire.send({
        name: 'probe',
        messages: () => [{ jsonrpc: '2.0', id: probe, method: 'tools/call', params: envelope({ name: 'whoami' }) }],
      });
      const answers = [...earlier, ...(await wire.take(probe))];
      const last = answers.pop()!;
      expect(last['result'].content[0].text).not.toContain('polluted');
      const about = answers.filter(({ id }) => id !== 'release');
      if (input.count === undefined) expect(describeAnswers(about, input.id ?? 'x')).toBe(row!['The server answers']);
      else {
        expect(new Set(about.filter((answer) => 'result' in answer).map(({ id }) => id as unknown)).size).toBe(
          input.count,
        );
        expect(row!['The server answers']).toBe(`result × ${input.count}`);
      }
      // The probe was answered on the same connection.
      expect(row!['The connection']).toBe('lives');
    });
}

for (const revision of revisions)
  proves(idsAbout(revision.id, IDS)).describe(`a server of ${revision.id} over memory, sent`, () => {
    hostile(revision, messageInputs, memoryWire);
  });

// One of each kind: an unreadable id is null, is left out, and the family without a handshake.
const overStdio = revisions.filter(({ id }) => ['2025-06-18', '2025-11-25', '2026-07-28'].includes(id));

for (const revision of overStdio)
  proves(idsAbout(revision.id, IDS)).describe(`a server of ${revision.id} in a process, sent`, () => {
    hostile(revision, [...framedInputs, ...dressedInputs(envelopeOf(revision)), ...messageInputs], childWire);
  });

describe('a server in a process', () => {
  proves('L-STDIO-014, M-STDIO-013').it(
    `ends in good order when the client vanishes in the middle of a message`,
    async () => {
      const child = new RawChild([CHILD, 'everything']);
      for (const message of opening('2025-11-25')) await child.write(`${JSON.stringify(message)}\n`);
      await child.take(({ id }) => id === 'open');
      await child.write('{"jsonrpc":"2.0","id":"x","method":"tools/ca');
      child.child.stdin.end();
      expect(await child.exited).toEqual({ code: 0, signal: null });
      expect(child.stderr).toBe('');
      expect(describeAnswers(child.messages, 'x')).toBe(
        table?.get('half a message and then the end')?.['The server answers'],
      );
      expect(table?.get('half a message and then the end')?.['The connection']).toBe('closes');
    },
  );

  it('ends in good order when the client stops reading', async () => {
    const child = new RawChild([CHILD, 'everything']);
    for (const message of opening('2025-11-25')) await child.write(`${JSON.stringify(message)}\n`);
    await child.take(({ id }) => id === 'open');
    child.child.stdout.destroy();
    await child.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'large', arguments: { size: 1_000_000 } } })}\n`,
    );
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(child.stderr).toBe('');
    expect(table?.get('a request whose answer is never read')?.['The connection']).toBe('closes');
  });
});

describe('docs/bad-input.md', () => {
  it('has a row for every input to a server, and no other', () => {
    const known = [...framedInputs, ...dressedInputs((params = {}) => params), ...messageInputs].map(
      ({ name }) => name,
    );
    expect([...(table?.keys() ?? [])].sort()).toEqual(
      [...known, 'half a message and then the end', 'a request whose answer is never read'].sort(),
    );
  });
});
