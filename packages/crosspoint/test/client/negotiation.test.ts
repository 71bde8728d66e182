import { describe, expect, test } from 'vitest';
import { createVerdictMemory, TransportError } from '../../src/client/index.ts';
import { META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_PROTOCOL_VERSION } from '../../src/protocol/meta.ts';
import { revisions } from '../../src/revisions/index.ts';
import { proves } from '../requirements/proves.ts';
import { connected, failure, prepared } from './connected.ts';
import {
  FakeTransport,
  legacy,
  LEGACY,
  modern,
  MODERN,
  Refusal,
  type Behaviour,
  type Line,
  type Wire,
} from './fake-server.ts';

describe('a server of the per-request family', () => {
  proves('M-IOP-002, M-DISC-004, M-DISC-007, M-IOP-001, M-IOP-019').test(
    'DiscoverResult: the newest mutual version is chosen, and nothing but server/discover is sent',
    async () => {
      const { client, transport } = await connected(
        modern({}, { versions: ['1999-01-01', MODERN.id, LEGACY.id], instructions: 'Be brief.' }),
      );
      expect(client.family).toBe('per-request');
      expect(client.revision).toBe(MODERN);
      expect(client.getNegotiatedProtocolVersion()).toBe(MODERN.id);
      expect(transport.protocolVersion).toBe(MODERN.id);
      expect(transport.methods).toEqual(['server/discover']);
      expect(client.getServerVersion()).toEqual({ name: 'modern', version: '1' });
      expect(client.getServerCapabilities()).toHaveProperty('tools');
      expect(client.getInstructions()).toBe('Be brief.');
      expect(client.getDiscoverResult()?.supportedVersions).toContain(MODERN.id);
    },
  );

  proves('M-BASE-019, M-BASE-020').test('the probe itself carries version, capabilities and client info', async () => {
    const { transport } = await connected(modern(), { capabilities: { elicitation: {} } });
    expect(transport.sent[0]?.params?._meta).toMatchObject({
      [META_PROTOCOL_VERSION]: MODERN.id,
      [META_CLIENT_CAPABILITIES]: { elicitation: {} },
      [META_CLIENT_INFO]: { name: 'test-client', version: '1.2.3' },
    });
  });

  proves('M-IOP-003, M-VER-002').test(
    '-32022 that names no mutual version fails with an actionable error and never falls back to initialize',
    async () => {
      const refuse = modern({
        'server/discover': () =>
          new Refusal(-32022, 'Unsupported protocol version', { supported: ['2099-01-01'], requested: MODERN.id }),
      });
      const { client, transport } = prepared(refuse);
      const error = await failure(client.connect(transport));
      expect(error).toMatchObject({ name: 'TransportError', code: 'negotiation-failed' });
      expect(error.message).toContain('2099-01-01');
      expect(error.message).toContain(MODERN.id);
      expect(transport.methods).toEqual(['server/discover']);
      expect(transport.isOpen).toBe(false);
    },
  );

  proves('M-IOP-003').test(
    '-32022 without a list of versions is not retried and not answered with initialize',
    async () => {
      const { client, transport } = prepared(modern({ 'server/discover': () => new Refusal(-32022, 'no') }));
      await expect(client.connect(transport)).rejects.toMatchObject({ code: 'negotiation-failed' });
      expect(transport.methods).toEqual(['server/discover']);
    },
  );

  proves('M-IOP-019').test(
    '-32022 that names only handshake versions opens a handshake with the advertised one',
    async () => {
      const answers = {
        'server/discover': () => new Refusal(-32022, 'no', { supported: [LEGACY.id], requested: MODERN.id }),
      };
      const { client, transport } = await connected(legacy(answers));
      expect(client.revision).toBe(LEGACY);
      expect(transport.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    },
  );

  proves('M-IOP-003').test.each([-32020, -32021])(
    '%i identifies the family: the error is reported, initialize is not sent',
    async (code) => {
      const { client, transport } = prepared(
        modern({ 'server/discover': () => new Refusal(code, 'Missing capability: sampling') }),
      );
      const error = await failure(client.connect(transport));
      expect(error).toMatchObject({ code: 'negotiation-failed', cause: { code } });
      expect(error.message).toContain(`it refused server/discover with error ${code}: Missing capability: sampling`);
      expect(transport.methods).toEqual(['server/discover']);
    },
  );

  test('a banner before the answer changes nothing, and nothing is written back', async () => {
    const script = modern();
    const banner: Behaviour = (message, line) => {
      line.garbage('Server v1.0 listening on stdio');
      line.send({ level: 'info', msg: 'a log line that happens to be JSON' });
      line.send('"hello"');
      script(message, line);
    };
    const { client, transport, problems } = await connected(banner);
    expect(client.family).toBe('per-request');
    expect(transport.methods).toEqual(['server/discover']);
    expect(problems.length).toBe(3);
  });
});

const HANDSHAKE_ANSWERS: [string, Behaviour][] = [
  ['-32601', legacy()],
  ['-32602', legacy({ 'server/discover': () => new Refusal(-32602, 'Invalid request parameters') })],
  ['-32600', legacy({ 'server/discover': () => new Refusal(-32600, 'Server not initialized') })],
  ['-32000', legacy({ 'server/discover': () => new Refusal(-32000, 'Bad Request: Server not initialized') })],
  ['-32603', legacy({ 'server/discover': () => new Refusal(-32603, 'boom') })],
  ['a number of its own', legacy({ 'server/discover': () => new Refusal(4711, 'what?') })],
  ['an empty result', legacy({ 'server/discover': () => ({}) })],
  ['a result of another shape', legacy({ 'server/discover': () => ({ supportedVersions: 'all', capabilities: [] }) })],
  ['a result type nobody knows', legacy({ 'server/discover': () => ({ resultType: 'bogus' }) })],
  [
    'an error that is no object',
    legacy({
      'server/discover': (_params, line, { id }) => line.send({ jsonrpc: '2.0', id, error: 'unknown method' }),
    }),
  ],
  [
    'an answer without jsonrpc',
    legacy({ 'server/discover': (_params, line, { id }) => line.send({ id, result: {} }) }),
  ],
];

describe('a server of the handshake family', () => {
  proves('M-IOP-004, M-IOP-005, M-IOP-007, M-IOP-015').test.each(HANDSHAKE_ANSWERS)(
    'the probe is answered with %s: initialize on the same process',
    async (_what, script) => {
      const { client, transport, clock } = await connected(script);
      expect(client.family).toBe('handshake');
      expect(client.revision).toBe(LEGACY);
      expect(transport.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
      expect(transport.runs.length).toBe(1);
      expect(clock.now()).toBe(0);
    },
  );

  proves('M-IOP-004').test(
    'silence past the probe timeout: initialize on the same process, within the connect budget',
    async () => {
      const { client, transport, clock } = prepared(legacy({ 'server/discover': () => undefined }));
      const connecting = client.connect(transport);
      await clock.advance(2499);
      expect(transport.methods).toEqual(['server/discover']);
      await clock.advance(1);
      await connecting;
      expect(client.family).toBe('handshake');
      expect(transport.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
      expect(transport.runs.length).toBe(1);
    },
  );

  test('an answer to the probe that comes after the handshake is ignored', async () => {
    let probe: Parameters<Behaviour>[0] | undefined;
    const { client, transport, clock, problems } = prepared(
      legacy({ 'server/discover': (_params, _line, message) => void (probe = message) }),
    );
    const connecting = client.connect(transport);
    await clock.advance(2500);
    await connecting;
    transport.line.fail(probe!, { code: -32601, message: 'late' });
    await clock.flush();
    expect(client.family).toBe('handshake');
    expect(problems).toEqual([]);
    await client.ping();
  });

  test('slow start: probe and initialize are both answered when the server is up', async () => {
    const waiting: (() => void)[] = [];
    const script = legacy();
    const slow: Behaviour = (message, line) => void waiting.push(() => script(message, line));
    const { client, transport, clock } = prepared(slow);
    const connecting = client.connect(transport);
    await clock.advance(9000);
    expect(transport.methods).toEqual(['server/discover', 'initialize']);
    for (const run of waiting) run();
    await connecting;
    expect(client.family).toBe('handshake');
    expect(transport.runs.length).toBe(1);
  });

  test('slow start of a server that has no handshake: its refusal of initialize leads back to the other family', async () => {
    const waiting: (() => void)[] = [];
    const script = modern();
    let up = false;
    const slow: Behaviour = (message, line) =>
      up ? script(message, line) : void waiting.push(() => script(message, line));
    const { client, transport, clock } = prepared(slow);
    const connecting = client.connect(transport);
    await clock.advance(9000);
    up = true;
    for (const run of waiting) run();
    await connecting;
    expect(client.family).toBe('per-request');
    expect(transport.methods).toEqual(['server/discover', 'initialize', 'server/discover']);
    expect(transport.runs.length).toBe(1);
  });

  proves('M-IOP-008').test(
    'exits on a request before initialize: started again, and greeted with initialize at once',
    async () => {
      const script = legacy();
      const strict: Behaviour = (message, line) =>
        message.method === 'server/discover' ? line.exit('exit code 1') : script(message, line);
      const { client, transport, clock } = await connected(strict, {}, { restartable: true });
      expect(client.family).toBe('handshake');
      expect(transport.runs.map((run) => run.map(({ method }) => method))).toEqual([
        ['server/discover'],
        ['initialize', 'notifications/initialized'],
      ]);
      expect(clock.now()).toBe(0);
    },
  );

  test('exits on an early request after a slow start: started again once', async () => {
    const script = legacy();
    let exited = false;
    const strict: Behaviour = (message, line) => {
      if (exited) return script(message, line);
      if (message.method !== 'initialize') return;
      exited = true;
      line.exit('exit code 1');
    };
    const { client, transport, clock } = prepared(strict, {}, { restartable: true });
    const connecting = client.connect(transport);
    await clock.advance(2500);
    await connecting;
    expect(transport.runs.length).toBe(2);
    expect(transport.methods).toEqual(['initialize', 'notifications/initialized']);
  });

  test('exits on the probe behind a transport that cannot be started again: an error that says so', async () => {
    const { client, transport } = prepared((_message, line) => line.exit());
    await expect(client.connect(transport)).rejects.toMatchObject({
      code: 'closed',
      message: expect.stringContaining('server/discover'),
    });
  });

  test('a program that cannot run at all: the error carries why it ended', async () => {
    const { client, transport } = prepared(
      (_message, line) => line.exit('exited with code 127: sh: nope: not found'),
      {},
      { restartable: true },
    );
    const error = await failure(client.connect(transport));
    expect(error.message).toContain('exited with code 127: sh: nope: not found');
    expect(error.cause).toBe(transport.lastFailure);
    expect(transport.runs.length).toBe(2);
  });

  proves(
    'L-LIFECYCLE-002, L-LIFECYCLE-004, L-LIFECYCLE-007, L-LIFECYCLE-030, L-ROOTS-001, L-SAMPLING-001, L-ELICITATION-001, L-LIFECYCLE-008',
  ).test('initialize names version, capabilities and client; initialized follows before anything else', async () => {
    const { client, transport } = await connected(legacy({ 'tools/list': () => ({ tools: [] }) }), {
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
      revisions: 'handshake',
    });
    await client.listTools();
    expect(transport.methods).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
    expect(transport.sent[0]?.params).toEqual({
      protocolVersion: LEGACY.id,
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
      clientInfo: { name: 'test-client', version: '1.2.3' },
    });
    expect(transport.protocolVersion).toBe(LEGACY.id);
    expect(client.getDiscoverResult()).toBeUndefined();
  });

  proves('L-LIFECYCLE-014').test.each(revisions.filter(({ family }) => family === 'handshake').map(({ id }) => id))(
    'the counter-offer %s is accepted and used',
    async (id) => {
      const { client } = await connected(legacy({}, { versions: [id] }));
      expect(client.getNegotiatedProtocolVersion()).toBe(id);
    },
  );

  proves('L-LIFECYCLE-007').test('only a configured version is offered', async () => {
    const oldest = revisions.at(-1)!;
    const { transport } = await connected(legacy({}, { versions: [oldest.id] }), { revisions: [oldest.id] });
    expect(transport.sent[0]).toMatchObject({ method: 'initialize', params: { protocolVersion: oldest.id } });
  });

  proves('L-LIFECYCLE-012, L-LIFECYCLE-015, L-LIFECYCLE-022').test.each(['1999-01-01', '2999-12-31'])(
    'counter-offer %s: connect rejects, the transport is closed, initialized is not sent',
    async (version) => {
      const { client, transport } = prepared(legacy({}, { versions: [version] }));
      await expect(client.connect(transport)).rejects.toMatchObject({
        code: 'negotiation-failed',
        message: expect.stringContaining(version),
      });
      expect(transport.methods).toEqual(['server/discover', 'initialize']);
      expect(transport.isOpen).toBe(false);
      expect(client.transport).toBeUndefined();
    },
  );

  test('initialize refused: the error says what both answers were', async () => {
    const { client, transport } = prepared(legacy({ initialize: () => new Refusal(-32603, 'no database') }));
    const error = await failure(client.connect(transport));
    expect(error.message).toContain('no database');
    expect(error.message).toContain('-32601');
  });

  proves('M-IOP-021').test('in a handshake session requests carry no envelope of the other family', async () => {
    const { client, transport } = await connected(legacy({ 'tools/call': () => ({ content: [] }) }));
    await client.callTool({ name: 'x' });
    expect(Object.keys(transport.sent.at(-1)?.params?._meta ?? {})).toEqual(['progressToken']);
  });
});

describe('a client of one family', () => {
  test('handshake only: initialize without a probe', async () => {
    const { transport } = await connected(legacy(), { revisions: 'handshake' });
    expect(transport.methods).toEqual(['initialize', 'notifications/initialized']);
  });

  proves('M-IOP-006, M-IOP-020').test(
    'per-request only: it probes, names the problem and sends nothing else',
    async () => {
      const { client, transport } = prepared(legacy({ 'tools/call': () => ({ content: [] }) }), {
        revisions: 'per-request',
      });
      const error = await failure(client.connect(transport));
      expect(error).toBeInstanceOf(TransportError);
      expect(error.message).toMatch(/handshake.*"revisions"/s);
      expect(transport.methods).toEqual(['server/discover']);
      await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({ code: 'closed' });
    },
  );

  test('per-request only: silence is waited out for the whole connect budget', async () => {
    const { client, transport, clock } = prepared(() => {}, {
      revisions: 'per-request',
      timeouts: { connectMs: 8000 },
    });
    const connecting = failure(client.connect(transport));
    await clock.advance(7999);
    expect(transport.isOpen).toBe(true);
    await clock.advance(1);
    expect(await connecting).toMatchObject({
      code: 'connect-timeout',
      message: expect.stringContaining('server/discover'),
    });
    expect(transport.isOpen).toBe(false);
  });
});

describe('the connect budget', () => {
  test('covers probe and handshake together', async () => {
    const { client, transport, clock } = prepared(() => {}, { timeouts: { connectMs: 4000 } });
    const connecting = failure(client.connect(transport));
    await clock.advance(4000);
    const error = await connecting;
    expect(error).toMatchObject({ code: 'connect-timeout', details: { connectMs: 4000, stage: 'initialize' } });
    expect(transport.methods).toEqual(['server/discover', 'initialize']);
    expect(clock.pending).toBe(0);
  });

  proves('L-CANCELLATION-002').test(
    'aborting connect closes the transport and cancels neither initialize nor the probe on the wire',
    async () => {
      const { client, transport, clock } = prepared(() => {});
      const controller = new AbortController();
      const connecting = failure(client.connect(transport, { signal: controller.signal }));
      await clock.advance(3000);
      controller.abort();
      expect(await connecting).toMatchObject({ code: 'aborted' });
      expect(transport.methods).toEqual(['server/discover', 'initialize']);
      expect(transport.isOpen).toBe(false);
    },
  );

  test('close during connect ends it, and the client can connect elsewhere at once', async () => {
    const { client, transport } = prepared(() => {});
    const connecting = failure(client.connect(transport));
    await Promise.resolve();
    const closing = client.close();
    const other = new FakeTransport(modern());
    const again = client.connect(other);
    expect(await connecting).toMatchObject({ code: 'closed' });
    await closing;
    await again;
    expect(transport.isOpen).toBe(false);
    expect(client.transport).toBe(other);
    expect(client.family).toBe('per-request');
  });

  test('a client can connect again after a failure', async () => {
    const { client, transport } = prepared((run: number) =>
      run === 0 ? (_message: Wire, line: Line) => line.exit() : modern(),
    );
    await failure(client.connect(transport));
    await client.connect(transport);
    expect(client.family).toBe('per-request');
    await expect(client.connect(transport)).rejects.toThrow(TypeError);
  });
});

describe('what was learnt of a server', () => {
  proves('M-IOP-017').test(
    'the probe is paid once: a server with a handshake is then greeted with initialize',
    async () => {
      const verdicts = createVerdictMemory();
      const first = await connected(legacy(), { verdicts }, { restartable: true });
      expect(first.transport.methods[0]).toBe('server/discover');
      const second = await connected(legacy(), { verdicts }, { restartable: true });
      expect(second.transport.methods).toEqual(['initialize', 'notifications/initialized']);
      const other = await connected(legacy(), { verdicts }, { restartable: true, identity: 'another program' });
      expect(other.transport.methods[0]).toBe('server/discover');
    },
  );

  proves('M-IOP-018').test(
    'is forgotten after a while for servers with a handshake, and kept for the others',
    async () => {
      const { clock } = prepared(() => {});
      const verdicts = createVerdictMemory({ clock, handshakeTtlMs: 1000 });
      await verdicts.set('old', { family: 'handshake', revision: LEGACY.id });
      await verdicts.set('new', { family: 'per-request', revision: MODERN.id });
      await clock.advance(999);
      expect(await verdicts.get('old')).toBeDefined();
      await clock.advance(1);
      expect(await verdicts.get('old')).toBeUndefined();
      expect(await verdicts.get('new')).toEqual({ family: 'per-request', revision: MODERN.id });
    },
  );

  test('a client that speaks one family alone says nothing of the other', async () => {
    const verdicts = createVerdictMemory();
    await connected(legacy(), { verdicts, revisions: 'handshake' }, { restartable: true });
    const { client, transport } = await connected(modern(), { verdicts }, { restartable: true });
    expect(transport.methods[0]).toBe('server/discover');
    expect(client.family).toBe('per-request');
  });

  test('a server that is known to answer is given time to', async () => {
    const verdicts = createVerdictMemory();
    await connected(modern(), { verdicts }, { restartable: true });
    const waiting: (() => void)[] = [];
    const script = modern();
    const { client, transport, clock } = prepared(
      (message, line) => void waiting.push(() => script(message, line)),
      { verdicts },
      { restartable: true },
    );
    const connecting = client.connect(transport);
    await clock.advance(9000);
    for (const run of waiting) run();
    await connecting;
    expect(transport.methods).toEqual(['server/discover']);
  });

  proves('M-IOP-017').test('wrong in one direction: an updated server refuses initialize and is probed', async () => {
    const verdicts = createVerdictMemory();
    await connected(legacy(), { verdicts }, { restartable: true });
    const { client, transport } = await connected(modern(), { verdicts }, { restartable: true });
    expect(client.family).toBe('per-request');
    expect(transport.methods).toEqual(['initialize', 'server/discover']);
    const again = await connected(modern(), { verdicts }, { restartable: true });
    expect(again.transport.methods).toEqual(['server/discover']);
  });

  test('wrong in the other: a downgraded server refuses the probe and is greeted', async () => {
    const verdicts = createVerdictMemory();
    await connected(modern(), { verdicts }, { restartable: true });
    const { client } = await connected(legacy(), { verdicts }, { restartable: true });
    expect(client.family).toBe('handshake');
  });

  test('a memory that fails costs a probe, not the connection', async () => {
    const verdicts = { get: () => Promise.reject(new Error('disk')), set: () => Promise.reject(new Error('disk')) };
    const { client, problems } = await connected(modern(), { verdicts }, { restartable: true });
    expect(client.family).toBe('per-request');
    expect(problems.map(({ message }) => message)).toEqual(['disk', 'disk']);
  });
});
