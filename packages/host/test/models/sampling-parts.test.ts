import { expect, it } from 'vitest';
import { ServerContext } from '../../src/context/server-context.ts';
import type { SamplingRequest } from '../../src/context/sampling.ts';
import { Inbox, type AuditEvent, type InboxChange } from '../../src/index.ts';
import { ModelError, modelSampling, type ModelResponse, type ModelSamplingOptions } from '../../src/models/index.ts';
import { modelRequest, serverAnswer } from '../../src/models/sampling/conversion.ts';
import { ToolNames } from '../../src/models/sampling/tool-names.ts';
import { scriptedProvider } from './scripted-provider.ts';

const { signal } = new AbortController();
const USAGE = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0 };
const request = (more: Partial<SamplingRequest> = {}): SamplingRequest => ({
  messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
  maxTokens: 50,
  includeContext: 'none',
  ...more,
});
const schema = { type: 'object' as const };

it('turns every kind of content of a request into words for models, and keeps the facts of tools', () => {
  const tools = [
    { name: 'a.b/c', inputSchema: schema },
    { name: 'plain', description: 'Plain.', inputSchema: schema },
  ];
  const names = new ToolNames(tools);
  const link = { type: 'resource_link' as const, uri: 'file:///l', name: 'l', title: 'L' };
  const held = { type: 'resource' as const, resource: { uri: 'file:///t', text: 'T', mimeType: 'text/plain' } };
  const bytes = { type: 'resource' as const, resource: { uri: 'file:///b', blob: 'Yg==' } };
  const made = modelRequest(
    request({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', data: 'aQ==', mimeType: 'image/png' },
            { type: 'audio', data: 'YQ==', mimeType: 'audio/wav' },
          ],
        },
        {
          role: 'assistant',
          content: { type: 'tool_use', id: '1', name: 'a.b/c', input: { x: 1 }, _meta: { kept: true } },
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', toolUseId: '1', content: [link, held, bytes], _meta: { also: 1 } },
            { type: 'tool_result', toolUseId: '2', content: [], structuredContent: { sum: 5 }, isError: true },
          ],
        },
      ],
      tools,
      toolChoice: { mode: 'required' },
      temperature: 0.5,
      stopSequences: ['END'],
      systemPrompt: 'Be kind.',
    }),
    { model: 'm', names, context: [] },
  );
  const changed = names.toModel('a.b/c');
  expect(changed).toMatch(/^[\w-]{1,64}$/);
  expect(names.toServer(changed)).toBe('a.b/c');
  expect(names.toServer('another')).toBeUndefined();
  expect(made).toEqual({
    model: 'm',
    maxTokens: 50,
    system: 'Be kind.',
    temperature: 0.5,
    stopSequences: ['END'],
    toolChoice: 'any',
    tools: [
      { name: changed, inputSchema: schema },
      { name: 'plain', description: 'Plain.', inputSchema: schema },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', data: 'aQ==', mimeType: 'image/png' },
          { type: 'audio', data: 'YQ==', mimeType: 'audio/wav' },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool-use', id: '1', name: changed, input: { x: 1 }, meta: { kept: true } }],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool-result',
            toolUseId: '1',
            content: [
              { type: 'resource', uri: 'file:///l', title: 'L' },
              { type: 'resource', uri: 'file:///t', mimeType: 'text/plain', text: 'T' },
              { type: 'resource', uri: 'file:///b', blob: 'Yg==' },
            ],
            meta: { also: 1 },
          },
          { type: 'tool-result', toolUseId: '2', content: [{ type: 'text', text: '{"sum":5}' }], isError: true },
        ],
      },
    ],
  });
});

it('gives the server one block where there is one, and no more than it may have', () => {
  const answer = (content: ModelResponse['content'], stopReason: ModelResponse['stopReason'], more = {}) =>
    serverAnswer(
      { model: 'm', content, stopReason, usage: USAGE },
      request(more),
      new ToolNames([{ name: 'look', inputSchema: schema }]),
    );
  const use = { type: 'tool-use' as const, id: '1', name: 'look', input: { at: 1 }, meta: { kept: 1 } };
  expect(
    answer(
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'end-turn',
    ).result,
  ).toMatchObject({
    content: { type: 'text', text: 'ab' },
    stopReason: 'endTurn',
  });
  expect(answer([], 'refused').result).toMatchObject({ content: { type: 'text', text: '' }, stopReason: 'refusal' });
  expect(answer([{ type: 'text', text: 'a' }, use], 'tool-use').result).toMatchObject({
    content: [
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: '1', name: 'look', input: { at: 1 }, _meta: { kept: 1 } },
    ],
    stopReason: 'toolUse',
  });
  // No use where it said none, and none whose arguments were no JSON.
  for (const [given, more] of [
    [use, { toolChoice: { mode: 'none' } }],
    [{ ...use, faultyInput: '{' }, {}],
  ] as const)
    expect(answer([given], 'tool-use', more)).toMatchObject({
      result: { content: { type: 'text', text: '' }, stopReason: 'endTurn' },
      leftOut: ['look'],
    });
});

it('fails where a tool was required and none was used', async () => {
  const { model } = modelSampling({ providers: [scriptedProvider([{ name: 'm' }])] });
  const about = { server: 's', signal, context: [], note: () => {} };
  const tools = [{ name: 'look', inputSchema: schema }];
  await expect(model?.(request({ tools, toolChoice: { mode: 'required' } }), about)).rejects.toThrow(
    'required to use a tool',
  );
});

it('chooses by hints and priorities, whatever these hold', async () => {
  const models = [
    { name: 'cheap', cost: 1, speed: 0.5, intelligence: 0.1 },
    { name: 'fast', cost: 0.5, speed: 1, intelligence: 0.3 },
    { name: 'clever', cost: 0, speed: 0, intelligence: 1 },
  ];
  const local = scriptedProvider([{ name: 'tiny' }], {}, 'local');
  const broken = { ...local, models: () => Promise.reject(new Error('offline')) };
  const options: ModelSamplingOptions = {
    providers: [broken, scriptedProvider(models), local],
    rules: [{ server: 'local-only', models: 'local/*' }],
  };
  const chosen = async (modelPreferences: unknown, server = 's'): Promise<unknown> => {
    const { admit } = modelSampling(options);
    const given = request(modelPreferences === undefined ? {} : { modelPreferences: modelPreferences as never });
    const outcome = await admit?.(given, { server, signal });
    return outcome?.action === 'allow' ? outcome.model : outcome;
  };
  expect(await chosen({ speedPriority: 1 })).toBe('fast');
  expect(await chosen({ intelligencePriority: 0.9, costPriority: 0.1 })).toBe('clever');
  expect(await chosen({ hints: [{ name: 'unknown' }, { name: 'clev' }], costPriority: 1 })).toBe('clever');
  expect(await chosen(undefined)).toBe('cheap');
  for (const odd of [
    'text',
    [],
    { hints: 'x' },
    { hints: [null, {}, { name: 7 }, { name: '' }], costPriority: 'high' },
    null,
  ])
    expect(await chosen(odd)).toBe('cheap');
  expect(await chosen({ speedPriority: 1 }, 'local-only')).toBe('tiny');
});

it('counts in a window that moves, and sets aside what is being used', async () => {
  let now = 0;
  const release: (() => void)[] = [];
  const provider = scriptedProvider([{ name: 'm' }], async () => {
    await new Promise<void>((resolve) => release.push(resolve));
    return { model: 'm', content: [], stopReason: 'end-turn', usage: { ...USAGE, inputTokens: 5, outputTokens: 5 } };
  });
  const rules = [{ limits: { requests: 3, tokens: 200, windowMs: 60_000 } }];
  const { admit, model, used } = modelSampling({ providers: [provider], rules, now: () => now });
  const notes: unknown[] = [];
  const about = { server: 's', signal, context: [], note: (details: unknown) => notes.push(details) };
  expect(await admit?.(request(), about)).toMatchObject({ action: 'allow' });
  expect(await admit?.(request({ maxTokens: 120 }), about)).toMatchObject({ action: 'allow' });
  const first = model?.(request({ maxTokens: 120 }), about);
  await expect.poll(() => release.length).toBe(1);
  // The whole of what the first may need is set aside, so that the second cannot have it.
  await expect(model?.(request({ maxTokens: 120 }), about)).rejects.toThrow('It may use 200 tokens');
  expect(notes).toEqual([{ refused: expect.stringContaining('It may use 200 tokens') }]);
  release[0]?.();
  await first;
  expect(used('s')).toEqual({ requests: 2, tokens: 10, cost: 0 });
  now = 30_000;
  expect(await admit?.(request(), about)).toMatchObject({ action: 'allow' });
  expect(await admit?.(request(), about)).toMatchObject({
    action: 'refuse',
    reason: 'It may ask 3 times in 60 seconds; more in 30 seconds.',
  });
  now = 60_001;
  expect(used('s')).toEqual({ requests: 1, tokens: 0, cost: 0 });
  expect(await admit?.(request(), about)).toMatchObject({ action: 'allow' });
});

it('counts attempts that broke off, and nothing for one that never began', async () => {
  const partial = { content: [], usage: { ...USAGE, inputTokens: 100, outputTokens: 10 } };
  const failures = [
    new ModelError('cut', { kind: 'interrupted', provider: 'p', partial }),
    new ModelError('busy', { kind: 'overloaded', provider: 'p' }),
  ];
  const answer = { model: 'm', content: [], stopReason: 'end-turn', usage: USAGE } as const;
  const failing = scriptedProvider([{ name: 'm' }], () => {
    const failure = failures.shift();
    return failure === undefined ? Promise.resolve(answer) : Promise.reject(failure);
  });
  const { model, used } = modelSampling({ providers: [failing], retries: { baseMs: 1 } });
  const about = { server: 's', signal, context: [], note: () => {} };
  await model?.(request(), about);
  expect(used('s').tokens).toBe(110 + 2);
  failures.push(new ModelError('no key', { kind: 'auth', provider: 'p' }));
  await expect(model?.(request(), about)).rejects.toThrow('(auth)');
  expect(used('s').tokens).toBe(110 + 2);
});

it('holds a call by its own limit, and counts a picture as tokens', async () => {
  const rules = [{ limits: { perCall: 1, tokens: 1500 } }];
  const { admit } = modelSampling({ providers: [scriptedProvider([{ name: 'm' }])], rules });
  const call = { id: 'c', tool: 't', arguments: {} };
  expect(await admit?.(request(), { server: 's', signal, call })).toMatchObject({ action: 'allow' });
  expect(await admit?.(request(), { server: 's', signal, call })).toMatchObject({ action: 'refuse' });
  const picture = request({
    messages: [{ role: 'user', content: { type: 'image', data: 'aQ==', mimeType: 'image/png' } }],
  });
  expect(await admit?.(picture, { server: 's', signal })).toMatchObject({
    action: 'refuse',
    reason: expect.stringContaining('1500 tokens'),
  });
});

it('shows and writes down a question that a limit refuses', async () => {
  const events: AuditEvent[] = [];
  const changes: InboxChange[] = [];
  const inbox = new Inbox({ audit: { write: (event) => void events.push(event) } });
  inbox.watch((change) => changes.push(change));
  const from = { server: 's', reason: 'It wants words.' };
  const answer = await inbox.ask('sampling', { request: {} }, from, { refused: 'Too often.' });
  expect(answer).toEqual({ action: 'deny', message: 'Too often.' });
  expect(inbox.list()).toEqual([]);
  expect(changes).toMatchObject([{ type: 'refused', reason: 'Too often.', item: { kind: 'sampling', from } }]);
  expect(events).toMatchObject([
    { type: 'question', server: 's', details: { reason: 'It wants words.' } },
    { type: 'answer', server: 's', details: { by: 'refused', action: 'deny', reason: 'Too often.' } },
  ]);
});

it('keeps a bounded part of what servers said', () => {
  const context = new ServerContext();
  const heard = (server: string, words: string): void =>
    context.add({
      server,
      tool: 't',
      arguments: {},
      result: { content: [{ type: 'text', text: words }] },
      conversation: 'c',
    });
  for (let at = 0; at < 300; at += 1) heard(at % 2 === 0 ? 'a' : 'b', `${at} ${'x'.repeat(9000)}`);
  const own = context.of('c', 'a');
  expect(own.length).toBeLessThan(9);
  expect(own.at(-1)?.result.startsWith('298 ')).toBe(true);
  expect(own.every(({ server, result }) => server === 'a' && result.length <= 8001)).toBe(true);
  expect(context.of('other')).toEqual([]);
  context.forget('a');
  expect(context.of('c', 'a')).toEqual([]);
});
