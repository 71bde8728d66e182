import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../src/client/index.ts';
import { isRunning, until } from '../fixtures/stdio/compiled.ts';
import { proves } from '../requirements/proves.ts';
import { Meeting } from './met-by-clients.ts';

let meeting: Meeting;
beforeEach(() => {
  meeting = new Meeting();
});
afterEach(async () => {
  await meeting.end();
  expect(meeting.pids.filter(isRunning), 'processes left behind').toEqual([]);
});

const hello = { content: [{ type: 'text', text: 'hello' }] };
const rejection = (promise: Promise<unknown>): Promise<Error & { code?: string }> =>
  promise.then(
    () => Promise.reject(new Error('It did not reject.')),
    (error: Error) => error,
  );

describe('a server with a handshake that meets server/discover first', () => {
  const PEERS: readonly (readonly [what: string, ...peer: string[]])[] = [
    ['answers with error -32601', 'odd-discover', '-32601'],
    ['answers with error -32602', 'odd-discover', '-32602'],
    ['answers with error -32000', 'odd-discover', '-32000'],
    ['answers with error -32600', 'odd-discover', '-32600'],
    ['answers with error -32603', 'odd-discover', '-32603'],
    ['answers with error 0', 'odd-discover', '0'],
    ['answers with error 404', 'odd-discover', '404'],
    ['answers with an error that has no message', 'odd-discover', 'error-without-message'],
    ['answers with an error whose code is a word', 'odd-discover', 'string-code'],
    ['answers with a result that is no object', 'odd-discover', 'garbage-result'],
    ['answers with an empty result', 'odd-discover', 'empty'],
    ['answers with the result of something else', 'odd-discover', 'other-shape'],
    ['writes a banner to stdout before the first message', 'banner'],
  ];
  /** Those whose answer cannot be understood as one, so that the time for it has to pass. */
  const SILENT_PEERS: typeof PEERS = [
    ['is silent on methods it does not know', 'silent-on-unknown'],
    ['answers with garbage', 'odd-discover', 'garbage'],
    ['answers with neither result nor error', 'odd-discover', 'no-result'],
    ['answers with an error that has no id', 'odd-discover', 'error-without-id'],
    ['needs longer to start than the probe waits', 'cold-start', '600', 'handshake'],
  ];

  async function meet(peer: string[], options: ClientOptions): Promise<void> {
    const first = await meeting.connect(peer, options);
    expect(first.family).toBe('handshake');
    expect((await first.listTools()).tools).toMatchObject([{ name: 'hello' }]);
    expect(await first.callTool({ name: 'hello' })).toMatchObject(hello);
    await first.close();
    expect(meeting.methods()).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ]);

    const second = await meeting.connect(peer, options);
    expect(await second.callTool({ name: 'hello' })).toMatchObject(hello);
    await second.close();
    expect(meeting.methods()).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
  }

  const outcome = 'it is spoken to in its own words, and not probed again';

  proves('M-IOP-004, M-IOP-005, M-IOP-007, M-IOP-001, M-IOP-017, L-STDIO-006, M-STDIO-003').it.each(PEERS)(
    `%s: ${outcome}`,
    (_what, ...peer) => meet(peer, {}),
  );

  // A bad answer that comes after `initialize` was sent is complained about: on a busy machine a process needs more than 200 ms to start.
  proves('M-IOP-004, M-IOP-001, M-IOP-017, L-STDIO-006, M-STDIO-003').it.each(SILENT_PEERS)(
    `%s: ${outcome}`,
    (_what, ...peer) => meet(peer, { timeouts: { probeMs: peer[0] === 'odd-discover' ? 1000 : 200 } }),
  );

  proves('M-IOP-008').it(
    'exits: it is started once more, never twice at a time, and once when it is known',
    async () => {
      const peer = ['exits-before-initialize'];
      const client = await meeting.connect(peer);
      expect(await client.callTool({ name: 'hello' })).toMatchObject(hello);
      await client.close();
      const [first, second] = meeting
        .diary()
        .filter((line) => line.startsWith('start'))
        .map((line) => line.split(' ')[1]);
      expect(meeting.diary()).toEqual([`start ${first}`, `end ${first}`, `start ${second}`, `end ${second}`]);
      expect(meeting.methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/call']);

      await (await meeting.connect(peer)).close();
      expect(meeting.diary()).toHaveLength(6);
      expect(meeting.methods()).toEqual(['initialize', 'notifications/initialized']);
    },
  );

  it('owns a port: one process is enough, and the next one starts only when it has gone', async () => {
    const PORT = String(await freePort());
    for (let round = 0; round < 3; round++) {
      const client = await meeting.connect(['holds-port'], { timeouts: { probeMs: 200 } }, { env: { PORT } });
      expect(await client.callTool({ name: 'hello' })).toMatchObject(hello);
      await client.close();
    }
    expect(meeting.diary().map((line) => line.split(' ')[0])).toEqual(['start', 'end', 'start', 'end', 'start', 'end']);
  });

  it('counts the probe within the time for connecting', async () => {
    const error = await rejection(
      meeting.connect(
        ['cold-start', '60000', 'handshake'],
        { timeouts: { connectMs: 3000, probeMs: 200 } },
        { closeGraceMs: 0, termGraceMs: 500 },
      ),
    );
    expect(error).toMatchObject({
      code: 'connect-timeout',
      message: expect.stringContaining('waiting for initialize') as string,
    });
  });
});

describe('a server that the probe leads astray', () => {
  const starts = (): string[] => meeting.diary().map((line) => line.split(' ')[0] ?? '');

  /** Each gets a process of its own, and never two at a time. */
  const MENDED: readonly (readonly [what: string, how: string])[] = [
    ['opens a session by it and refuses the handshake as a second one', 'bridge'],
    ['opens a session by it, answers nothing and refuses the handshake', 'silent-bridge'],
    ['takes it for the handshake and refuses the real one', 'first-is-handshake'],
    ['answers and exits a little later', 'answers-and-exits'],
  ];
  proves('M-IOP-008, M-IOP-017').it.each(MENDED)(
    '%s: it is started once more, begins with initialize, and does so from then on',
    async (_what, how) => {
      const peer = ['mistakes-probe', how];
      const client = await meeting.connect(peer, { timeouts: { probeMs: 1000 } });
      expect(client.family).toBe('handshake');
      expect(await client.callTool({ name: 'hello' })).toMatchObject(hello);
      await client.close();
      expect(starts()).toEqual(['start', 'end', 'start', 'end']);
      expect(meeting.methods().slice(-3)).toEqual(['initialize', 'notifications/initialized', 'tools/call']);

      await (await meeting.connect(peer)).close();
      expect(starts()).toHaveLength(6);
      expect(meeting.methods()).toEqual(['initialize', 'notifications/initialized']);
    },
  );

  it.each([
    ['answers it under another id', 'other-id'],
    ['asks something back first', 'asks-back'],
  ])('%s: one process is enough', async (_what, how) => {
    const client = await meeting.connect(['mistakes-probe', how], { timeouts: { probeMs: 1000 } });
    expect(await client.callTool({ name: 'hello' })).toMatchObject(hello);
    await client.close();
    expect(starts()).toEqual(['start', 'end']);
  });

  it('refuses the handshake in any case: it is started twice, not more, and the error says so', async () => {
    const error = await rejection(meeting.connect(['mistakes-probe', 'refuses-always']));
    expect(error).toMatchObject({ code: 'negotiation-failed' });
    expect(error.message).toMatch(/already initialized.*server\/discover.*-32601.*started once more/);
    expect(starts()).toEqual(['start', 'end', 'start', 'end']);
  });

  it('hangs: the time for connecting ends, the error says what comes next, and the next attempt succeeds', async () => {
    const peer = ['mistakes-probe', 'hangs'];
    const graces = { closeGraceMs: 0, termGraceMs: 0 };
    const error = await rejection(meeting.connect(peer, { timeouts: { connectMs: 2000, probeMs: 500 } }, graces));
    expect(error).toMatchObject({ code: 'connect-timeout' });
    expect(error.message).toContain('the next attempt begins with initialize');
    const client = await meeting.connect(peer, {}, graces);
    expect(await client.callTool({ name: 'hello' })).toMatchObject(hello);
  });

  it('is started again within the time for connecting', async () => {
    const error = await rejection(
      meeting.connect(['mistakes-probe', 'silent-bridge'], { timeouts: { connectMs: 1500, probeMs: 1400 } }),
    );
    expect(error).toMatchObject({ code: 'connect-timeout' });
    await until(() => starts().includes('end'));
    expect(starts()).toEqual(['start', 'end']);
  });
});

describe('a server of the per-request family', () => {
  it('that needs longer to start than the probe waits is recognised after all', async () => {
    const client = await meeting.connect(['cold-start', '600', 'per-request'], { timeouts: { probeMs: 200 } });
    expect(client.family).toBe('per-request');
    expect(await client.callTool({ name: 'hello' })).toMatchObject(hello);
  });

  proves('M-IOP-002').it(
    'is spoken to in the newest version that both speak, and is asked first the next time as well',
    async () => {
      for (const _round of [1, 2]) {
        const client = await meeting.connect(['asks-without-words']);
        expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
        expect(meeting.methods()).toEqual(['server/discover']);
        await client.close();
      }
    },
  );

  proves('M-IOP-003').it('with other versions only is told apart from an old one: no handshake is tried', async () => {
    const error = await rejection(meeting.connect(['future-only']));
    expect(error).toMatchObject({
      code: 'negotiation-failed',
      message: expect.stringContaining('2099-01-01') as string,
    });
    expect(meeting.methods()).toEqual(['server/discover']);
  });

  proves('M-STDIO-006, M-IOP-035').it(
    'that sends requests is not answered, and what it was asked still is',
    async () => {
      const client = await meeting.connect(['asks-without-words'], { capabilities: { elicitation: {} } });
      client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
      expect(await client.callTool({ name: 'hello' })).toMatchObject(hello);
      expect(await client.callTool({ name: 'hello' })).toMatchObject(hello);
      await client.close();
      expect(meeting.wire().every(({ method }) => method !== undefined)).toBe(true);
      expect(meeting.problems.filter(({ message }) => message.includes('elicitation/create'))).toHaveLength(2);
    },
  );

  proves('M-STDIO-009').it('is told of a cancellation exactly once', async () => {
    const client = await meeting.connect(['asks-without-words']);
    const controller = new AbortController();
    const call = rejection(client.callTool({ name: 'hang' }, { signal: controller.signal }));
    await until(() => meeting.methods().includes('tools/call'));
    controller.abort(new Error('enough'));
    controller.abort(new Error('again'));
    expect((await call).message).toContain('enough');
    await client.listTools();
    await client.close();
    const [, called, ...rest] = meeting.wire();
    expect(rest.map(({ method }) => method)).toEqual(['notifications/cancelled', 'tools/list']);
    expect(rest[0]?.params).toMatchObject({ requestId: called?.id });
  });
});

describe('a client that speaks one family only', () => {
  proves('M-IOP-006, M-IOP-020').it(
    'reports a server with a handshake in words that help, and calls nothing',
    async () => {
      const error = await rejection(meeting.connect(['no-lifecycle'], { revisions: 'per-request' }));
      expect(error.message).toMatch(
        /handshake.*Allow a revision of the handshake family in the "revisions" option, or update the server/,
      );
      expect(meeting.methods()).toEqual(['server/discover']);
    },
  );

  proves('L-LIFECYCLE-012').it('leaves a server that counters with a version it cannot speak', async () => {
    const error = await rejection(meeting.connect(['counters-version'], { revisions: 'handshake' }));
    expect(error.message).toContain('1999-01-01');
    expect(meeting.methods()).toEqual(['initialize']);
  });
});

describe('a server with schemas that others refuse', () => {
  it('declares draft-07 in every output schema: each result is checked by that dialect, none is refused', async () => {
    const client = await meeting.connect(['draft-07-output'], { outputValidation: 'error' });
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(5);
    for (const { name } of tools) expect(await client.callTool({ name })).toHaveProperty('structuredContent');
    // Only the dialect that nobody knows is mentioned, once, however often its tool is called.
    await client.callTool({ name: 'unknown' });
    expect(meeting.problems).toMatchObject([{ message: expect.stringContaining('"unknown"') as string }]);
  });

  it('breaks its own output schema: the result arrives, and the breach is reported', async () => {
    const client = await meeting.connect(['breaks-own-schema']);
    await client.listTools();
    expect(await client.callTool({ name: 'wrong' })).toMatchObject({ structuredContent: { size: 'large' } });
    expect(await client.callTool({ name: 'none' })).toMatchObject({ content: [{ text: 'nothing structured' }] });
    expect(meeting.problems.map(({ message }) => /"(wrong|none)"/.exec(message)?.[1])).toEqual(['wrong', 'none']);
  });

  it('breaks its own output schema: a strict client gets an error that holds the result', async () => {
    const client = await meeting.connect(['breaks-own-schema'], { outputValidation: 'error' });
    await client.listTools();
    expect(await rejection(client.callTool({ name: 'wrong' }))).toMatchObject({
      code: 'invalid-result',
      details: { result: { structuredContent: { size: 'large' } } },
    });
  });

  it('gives an error result: it is not held to the schema of success', async () => {
    const client = await meeting.connect(['breaks-own-schema'], { outputValidation: 'error' });
    await client.listTools();
    for (const name of ['failed', 'failed-with-structure'])
      expect(await client.callTool({ name })).toMatchObject({ isError: true, content: [{ text: 'no such file' }] });
  });

  it('has input schemas with a root anyOf, absent required members, broken references or none at all: every tool is listed and called', async () => {
    const client = await meeting.connect(['odd-input-schemas'], { outputValidation: 'error' });
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(6);
    expect(tools[0]?.inputSchema).toHaveProperty('anyOf');
    for (const { name } of tools)
      expect(await client.callTool({ name, arguments: {} })).toMatchObject({ content: [{ text: name }] });
    expect(meeting.problems).toEqual([]);
  });
});

describe('a server with a list', () => {
  it.each([
    ['of 200 tools', ['many-tools'], 1],
    ['of 200 tools in pages of 7', ['many-tools', '7'], 29],
  ])('%s is read whole', async (_what, peer, requests) => {
    const client = await meeting.connect(peer);
    const { tools } = await client.listTools();
    expect(new Set(tools.map(({ name }) => name)).size).toBe(200);
    expect(meeting.methods().filter((method) => method === 'tools/list')).toHaveLength(requests);
  });

  it('that changes in the middle of a call: the result is held against what was promised when the call was made', async () => {
    const lists: unknown[] = [];
    const client = await meeting.connect(['changing-list'], {
      outputValidation: 'error',
      listChanged: { tools: { debounceMs: 0, onChanged: (_error, tools) => lists.push(tools) } },
    });
    await client.listTools();
    expect(await client.callTool({ name: 'measure' })).toMatchObject({ structuredContent: { size: 1 } });
    await until(() => lists.length > 0);
    expect(lists).toMatchObject([[{ outputSchema: { properties: { size: { type: 'string' } } } }]]);
  });
});

describe('a server with unusual lines', () => {
  it('sends an image of 13 MB', async () => {
    const client = await meeting.connect(['big-image']);
    const { content } = await client.callTool({ name: 'hello' });
    expect(content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
    expect(Buffer.from((content[0] as { data: string }).data, 'base64')).toHaveLength(13 * 1024 * 1024);
    expect(meeting.problems).toEqual([]);
  });

  it('begins a line and does not end it: it is dropped, reported, and what follows is understood', async () => {
    const client = await meeting.connect(['endless-line'], {}, { maxMessageBytes: 1024 * 1024 });
    expect(await client.callTool({ name: 'hello' })).toMatchObject({ content: [{ text: 'after the flood' }] });
    expect(meeting.problems).toMatchObject([{ code: 'too-large' }]);
    expect(await client.callTool({ name: 'hello' })).toMatchObject({ content: [{ text: 'after the flood' }] });
  });

  it('splits characters of several bytes', async () => {
    const client = await meeting.connect(['split-characters']);
    expect(await client.callTool({ name: 'hello' })).toMatchObject({ content: [{ text: 'é😀漢字' }] });
    expect(meeting.problems).toEqual([]);
  });

  it('mixes text into its messages: it is counted and reported, and never answered', async () => {
    const client = await meeting.connect(['banner']);
    await client.callTool({ name: 'hello' });
    await client.callTool({ name: 'hello' });
    expect(meeting.wire().every(({ method }) => method !== undefined)).toBe(true);
    expect(meeting.problems.length).toBeGreaterThan(4);
    expect(meeting.problems[0]).toMatchObject({
      code: 'bad-frame',
      details: { start: expect.stringContaining('Welcome') as string },
    });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
