import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestOf, revisions } from '../../src/revisions/index.ts';
import { until } from '../fixtures/stdio/compiled.ts';
import { crosspoint, program, sdkOne, sdkTwo, type Subject } from './subjects.ts';

const HANDSHAKE = newestOf('handshake', revisions)!.id;
const PER_REQUEST = newestOf('per-request', revisions)!.id;
const ours = [program('crosspoint-server.mjs')];
const one = [program('sdk1-server.mjs')];
const two = (mode: string): string[] => [program('sdk2-server.mjs'), mode];

interface Pairing {
  readonly who: string;
  readonly version: string;
  readonly server: string;
  readonly connect: () => Promise<Subject>;
}

const PAIRINGS: readonly Pairing[] = [
  { who: 'our client, SDK 1 server', version: HANDSHAKE, server: 'sdk1-fixture', connect: () => crosspoint(one) },
  {
    who: 'our client, SDK 2 server of both families',
    version: PER_REQUEST,
    server: 'sdk2-fixture',
    connect: () => crosspoint(two('serve')),
  },
  {
    who: 'our client in handshake mode, SDK 2 server of both families',
    version: HANDSHAKE,
    server: 'sdk2-fixture',
    connect: () => crosspoint(two('serve'), 'handshake'),
  },
  {
    who: 'our client in per-request mode, SDK 2 server without handshake',
    version: PER_REQUEST,
    server: 'sdk2-fixture',
    connect: () => crosspoint(two('reject'), 'per-request'),
  },
  {
    who: 'our client, SDK 2 server connected by hand',
    version: HANDSHAKE,
    server: 'sdk2-fixture',
    connect: () => crosspoint(two('connect')),
  },
  { who: 'SDK 1 client, our server', version: HANDSHAKE, server: 'crosspoint-fixture', connect: () => sdkOne(ours) },
  {
    who: 'SDK 2 client by default, our server',
    version: HANDSHAKE,
    server: 'crosspoint-fixture',
    connect: () => sdkTwo(ours),
  },
  {
    who: 'SDK 2 client that negotiates, our server',
    version: PER_REQUEST,
    server: 'crosspoint-fixture',
    connect: () => sdkTwo(ours, 'auto'),
  },
  {
    who: 'SDK 2 client pinned to the newest revision, our server',
    version: PER_REQUEST,
    server: 'crosspoint-fixture',
    connect: () => sdkTwo(ours, { pin: PER_REQUEST }),
  },
  ...revisions.map(({ id }) => ({
    who: `our client and our server in ${id}`,
    version: id,
    server: 'crosspoint-fixture',
    connect: () => crosspoint([...ours, id]),
  })),
];

const text = (value: string): { type: string; text: string }[] => [{ type: 'text', text: value }];

for (const pairing of PAIRINGS) describe(pairing.who, () => exchange(pairing));

function exchange({ who, version, server, connect }: Pairing): void {
  const isHandshake = revisions.find(({ id }) => id === version)?.family === 'handshake';
  let subject: Subject;
  beforeAll(async () => {
    subject = await connect();
  });
  afterAll(async () => subject?.client.close());

  it('agree on a revision and know each other', () => {
    expect(subject.version).toBe(version);
    expect(subject.client.getServerVersion()?.name).toBe(server);
    expect(subject.client.getInstructions()).toBe('Use add to add.');
  });

  it('list tools, resources, templates and prompts', async () => {
    const { tools } = await subject.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['add', 'fail', 'wait', 'count', 'chat', 'grow', 'touch', 'ask', 'sample', 'roots']),
    );
    expect(tools.find(({ name }) => name === 'add')?.inputSchema).toMatchObject({
      type: 'object',
      required: ['a', 'b'],
    });
    expect((await subject.client.listResources()).resources.map(({ uri }) => uri)).toEqual(['memo://note']);
    expect(
      (await subject.client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ).toEqual(['memo://notes/{id}']);
    expect((await subject.client.listPrompts()).prompts).toMatchObject([
      { name: 'greet', arguments: [{ name: 'name', required: true }] },
    ]);
  });

  it('call a tool with structured output', async () => {
    const result = await subject.call('add', { a: 2, b: 3 });
    expect(result.isError ?? false).toBe(false);
    expect(result.content).toEqual(text('{"sum":5}'));
    if (version >= '2025-06-18') expect(result.structuredContent).toEqual({ sum: 5 });
  });

  it('tell of arguments that break the schema and of tools that fail', async () => {
    const told = await subject.call('add', { a: 'two', b: 3 }).then(
      (result) => ({ failed: result.isError, message: JSON.stringify(result.content) }),
      (error: Error) => ({ failed: true, message: error.message }),
    );
    expect(told.failed).toBe(true);
    expect(told.message).toMatch(/\ba\b/);
    expect(await subject.call('fail')).toMatchObject({ isError: true, content: text('It cannot be done.') });
    await expect(
      subject
        .call('no-such-tool')
        .then((result) => (result.isError ? Promise.reject(new Error('as a result')) : result)),
    ).rejects.toThrow();
  });

  it('read resources, get prompts and complete arguments', async () => {
    expect((await subject.client.readResource({ uri: 'memo://note' })).contents).toMatchObject([
      { uri: 'memo://note', text: 'a note' },
    ]);
    expect((await subject.client.readResource({ uri: 'memo://notes/two' })).contents).toMatchObject([
      { uri: 'memo://notes/two', text: 'note two' },
    ]);
    // The number of the family, except that the official servers use the newer one in both.
    await expect(subject.client.readResource({ uri: 'memo://absent' })).rejects.toSatisfy(
      ({ code }: { code: number }) => code === -32002 || code === -32602,
    );
    expect((await subject.client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })).messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: 'Greet Ada.' } },
    ]);
    const prompt = { type: 'ref/prompt' as const, name: 'greet' };
    expect(
      (await subject.client.complete({ ref: prompt, argument: { name: 'name', value: 'A' } })).completion.values,
    ).toEqual(['Ada', 'Alan']);
    const template = { type: 'ref/resource' as const, uri: 'memo://notes/{id}' };
    expect(
      (await subject.client.complete({ ref: template, argument: { name: 'id', value: 't' } })).completion.values,
    ).toEqual(['two', 'three']);
  });

  it('report progress in order', async () => {
    const seen: number[] = [];
    const counted = subject.call('count', {}, { onprogress: ({ progress }) => seen.push(progress) });
    await until(() => seen.length === 3);
    await subject.call('go');
    expect(await counted).toMatchObject({ content: text('counted') });
    expect(seen).toEqual([1, 2, 3]);
  });

  it('cancel: the handler sees the abort', async () => {
    const before = Number(((await subject.call('aborts')).content as { text: string }[])[0]?.text);
    const controller = new AbortController();
    const call = subject.call(
      'wait',
      {},
      { signal: controller.signal, onprogress: () => controller.abort(new Error('no longer wanted')) },
    );
    await expect(call).rejects.toThrow(/no longer wanted|abort/i);
    expect((await subject.call('aborts')).content).toEqual(text(String(before + 1)));
  });

  it('log at the level that was asked for', async () => {
    // In the other family the SDK 2 client has no place for the level but the metadata of each call.
    if (isHandshake || who.startsWith('our client')) await subject.client.setLoggingLevel('warning');
    await subject.call('chat', {}, { logLevel: 'warning' });
    await until(() => subject.events.logs.length > 0);
    expect(subject.events.logs).toMatchObject([{ level: 'warning', data: { loud: true }, logger: 'fixture' }]);
  });

  it('tell of a changed resource and a changed list', async () => {
    await subject.watch({ uri: 'memo://note', tools: true });
    await subject.call('touch');
    await until(() => subject.events.updates.length > 0);
    expect(subject.events.updates).toEqual(['memo://note']);
    subject.events.listChanges = 0;
    const before = (await subject.client.listTools()).tools.length;
    await subject.call('grow');
    await until(() => subject.events.listChanges > 0);
    expect((await subject.client.listTools()).tools).toHaveLength(before + 1);
  });

  it('ask the client: elicitation, sampling and roots', async () => {
    if (version >= '2025-06-18') expect((await subject.call('ask')).content).toEqual(text('accept Ada'));
    else await expect(subject.call('ask')).rejects.toThrow('cannot be expressed in');
    expect((await subject.call('sample')).content).toEqual(text('sampled hello'));
    expect((await subject.call('roots')).content).toEqual(text('file:///home/ada file:///srv'));
  });

  it('have nothing to complain about', () => {
    expect(subject.events.problems).toEqual([]);
  });
}
