import { expect, it, test } from 'vitest';
import { chooseModel, type SamplingMessage } from '../../src/client/index.ts';
import type { CreateMessageParams } from '../../src/protocol/sampling.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { samplingAnswerFault, samplingFault } from '../../src/protocol/sampling-rules.ts';
import { revisions } from '../../src/revisions/index.ts';
import { connected } from '../client/connected.ts';
import { legacy, modern, type Wire } from '../client/fake-server.ts';
import { proves } from '../requirements/proves.ts';
import { bothFamilies, linked, said, serverOf } from './linked.ts';

const text = (value: string): SamplingMessage['content'] => ({ type: 'text', text: value });
const user = (...content: object[]): SamplingMessage => ({ role: 'user', content: content as never });
const assistant = (...content: object[]): SamplingMessage => ({ role: 'assistant', content: content as never });
const use = (id: string): object => ({ type: 'tool_use', id, name: 'add', input: {} });
const result = (toolUseId: string): object => ({ type: 'tool_result', toolUseId, content: [] });
const hello = user({ type: 'text', text: 'hi' });
const ANSWER = { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'm', stopReason: 'endTurn' };

const GOOD: [string, SamplingMessage[]][] = [
  ['no message', []],
  [
    'one block or several',
    [
      { role: 'user', content: text('x') },
      user({ type: 'text', text: 'x' }, { type: 'image', data: '', mimeType: 'image/png' }),
    ],
  ],
  ['a use that is answered', [hello, assistant(use('1')), user(result('1'))]],
  [
    'several uses that are answered in any order',
    [
      hello,
      assistant({ type: 'text', text: 'let me see' }, use('1'), use('2')),
      user(result('2'), result('1')),
      assistant(use('1')),
      user(result('1')),
    ],
  ],
];
const BAD: [string, SamplingMessage[]][] = [
  ['a use that is not answered', [hello, assistant(use('1'))]],
  ['a use that something else follows', [hello, assistant(use('1')), hello]],
  ['a use that the assistant itself answers', [hello, assistant(use('1')), assistant(result('1'))]],
  ['one of two that is not answered', [hello, assistant(use('1'), use('2')), user(result('1'))]],
  ['an answer that is given twice', [hello, assistant(use('1')), user(result('1'), result('1'))]],
  ['an answer to another use', [hello, assistant(use('1')), user(result('2'))]],
  ['an answer to nothing', [user(result('1'))]],
  ['results beside other content', [hello, assistant(use('1')), user(result('1'), { type: 'text', text: 'x' })]],
  ['results after the next message', [hello, assistant(use('1')), user(result('1')), user(result('1'))]],
  ['a use by the user', [user(use('1')), user(result('1'))]],
  ['one id for two uses', [hello, assistant(use('1'), use('1')), user(result('1'))]],
  ['another role', [{ role: 'system' as never, content: text('x') }]],
  ['no content', [{ role: 'user' } as never]],
  ['content of no kind', [user({ type: 'video' })]],
];

proves(
  'M-SAMP-006, M-SAMP-007, M-SAMP-008, M-SAMP-009, L-SAMPLING-030, L-SAMPLING-031, L-SAMPLING-032, L-SAMPLING-033, L-SAMPLING-007',
).describe('the messages of sampling', () => {
  test.each(GOOD)('may hold %s', (_what, messages) => {
    expect(samplingFault({ messages, maxTokens: 10 })).toBeUndefined();
  });

  test.each(BAD)('are not sent with %s', async (_what, messages) => {
    expect(samplingFault({ messages, maxTokens: 10 })).toEqual(expect.any(String));
    for (const revision of bothFamilies) {
      let asked = 0;
      const { client } = await linked(
        serverOf((ctx) => ctx.sample({ messages, maxTokens: 10 })),
        revision,
        { capabilities: { sampling: { tools: {} } } },
      );
      client.setRequestHandler('sampling/createMessage', () => ((asked += 1), ANSWER as never));
      expect(await client.callTool({ name: 't' })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('cannot be sent') as string }],
      });
      expect(asked).toBe(0);
    }
  });

  test.each(BAD)('are refused by the client with %s', async (_what, messages) => {
    const { client, transport, clock } = await connected(legacy(), { capabilities: { sampling: { tools: {} } } });
    client.setRequestHandler('sampling/createMessage', () => ANSWER as never);
    transport.line.send({
      jsonrpc: '2.0',
      id: 's',
      method: 'sampling/createMessage',
      params: { messages, maxTokens: 1 },
    });
    await clock.flush();
    expect(transport.sent.find(({ id }: Wire) => id === 's')).toMatchObject({ error: { code: -32602 } });
  });
});

proves('L-SAMPLING-003, L-SAMPLING-021, L-SAMPLING-029').describe('the params of sampling', () => {
  const faults: [string, JsonObject][] = [
    ['no maxTokens', { messages: [] }],
    ['no messages', { maxTokens: 1 }],
    ['maxTokens of nothing', { messages: [], maxTokens: 0 }],
    ['broken maxTokens', { messages: [], maxTokens: 1.5 }],
    ['a priority above 1', { messages: [], maxTokens: 1, modelPreferences: { costPriority: 1.1 } }],
    ['a priority below 0', { messages: [], maxTokens: 1, modelPreferences: { speedPriority: -0.1 } }],
    ['another tool choice', { messages: [], maxTokens: 1, toolChoice: { mode: 'maybe' } }],
  ];
  test.each(faults)('are not sent and not taken with %s', async (_what, params) => {
    for (const revision of bothFamilies) {
      const { client } = await linked(
        serverOf((ctx) => ctx.sample(params as never)),
        revision,
        { capabilities: { sampling: { tools: {} } } },
      );
      expect(await client.callTool({ name: 't' })).toMatchObject({ isError: true });
    }
    const { client, transport, clock } = await connected(legacy(), { capabilities: { sampling: { tools: {} } } });
    client.setRequestHandler('sampling/createMessage', () => ANSWER as never);
    transport.line.send({ jsonrpc: '2.0', id: 's', method: 'sampling/createMessage', params });
    await clock.flush();
    expect(transport.sent.find(({ id }: Wire) => id === 's')).toMatchObject({ error: { code: -32602 } });
  });

  it('may hold everything that is optional', async () => {
    const params: CreateMessageParams = {
      messages: [hello],
      maxTokens: 9,
      modelPreferences: { hints: [{ name: 'x' }], costPriority: 0, speedPriority: 1, intelligencePriority: 0.5 },
      systemPrompt: 's',
      temperature: 0.2,
      stopSequences: ['.'],
      metadata: { a: 1 },
    };
    for (const { id, methods } of revisions) {
      if (!methods.has('sampling/createMessage') && id !== bothFamilies[0]) continue;
      const seen: unknown[] = [];
      const { client } = await linked(
        serverOf(async (ctx) => said((await ctx.sample(params)).model)),
        id,
        { capabilities: { sampling: {} } },
      );
      client.setRequestHandler('sampling/createMessage', (request) => (seen.push(request.params), ANSWER as never));
      expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: 'm' }]);
      expect(seen).toMatchObject([{ ...params, messages: [{ role: 'user' }] }]);
    }
  });
});

proves('M-SAMP-012, L-SAMPLING-004, L-SAMPLING-029').describe('the answer to sampling', () => {
  const tools = [{ name: 'add', inputSchema: { type: 'object' } }];
  const faults: [string, JsonObject, JsonObject][] = [
    [
      'uses a tool though toolChoice is none',
      { tools, toolChoice: { mode: 'none' } },
      { ...ANSWER, content: [use('1')] },
    ],
    ['uses a tool though none was offered', {}, { ...ANSWER, content: [use('1')] }],
    ['uses no tool though one is required', { tools, toolChoice: { mode: 'required' } }, ANSWER],
    ['names no model', {}, { role: 'assistant', content: ANSWER.content }],
    ['has no role', {}, { model: 'm', content: ANSWER.content }],
    ['has no content', {}, { model: 'm', role: 'assistant' }],
    ['has a stopReason that is no text', {}, { ...ANSWER, stopReason: 1 }],
  ];
  test.each(faults)('is not sent when it %s', async (_what, more, answer) => {
    expect(samplingAnswerFault(more, answer)).toEqual(expect.any(String));
    for (const revision of bothFamilies) {
      const problems: string[] = [];
      const { client } = await linked(
        serverOf((ctx) => ctx.sample({ messages: [hello], maxTokens: 1, ...more })),
        revision,
        { capabilities: { sampling: { tools: {} } }, onproblem: ({ message }) => problems.push(message) },
      );
      client.setRequestHandler('sampling/createMessage', () => answer as never);
      const told = await client.callTool({ name: 't' }).catch((error: unknown) => error as Error);
      expect([...problems, (told as Error).message].join()).toContain('was not sent');
    }
  });

  test('may use a tool where one is offered or required', () => {
    for (const mode of [undefined, 'auto', 'required'])
      expect(
        samplingAnswerFault({ tools, toolChoice: { mode } }, { ...ANSWER, content: [use('1')], stopReason: 'toolUse' }),
      ).toBeUndefined();
    expect(samplingAnswerFault({ tools }, ANSWER)).toBeUndefined();
  });

  test('of a stranger is checked by the server as well', async () => {
    const { client } = await linked(
      serverOf((ctx) => ctx.sample({ messages: [hello], maxTokens: 1 })),
      bothFamilies[1] ?? '',
      { capabilities: { sampling: {} } },
    );
    client.fallbackRequestHandler = () => ({});
    await expect(client.callTool({ name: 't' })).rejects.toThrow();
  });
});

proves('M-SAMP-002, M-SAMP-004, L-SAMPLING-026').describe('tools in sampling', () => {
  test('are taken where they were declared, and refused elsewhere, live and inside an answer', async () => {
    const ask = { method: 'sampling/createMessage', params: { messages: [hello], maxTokens: 1, tools: [] } };
    for (const [capabilities, taken] of [
      [{ sampling: { tools: {} } }, true],
      [{ sampling: {} }, false],
    ] as const) {
      const live = await connected(legacy(), { capabilities });
      live.client.setRequestHandler('sampling/createMessage', () => ANSWER as never);
      live.transport.line.send({ jsonrpc: '2.0', id: 's', ...ask });
      await live.clock.flush();
      expect(live.transport.sent.find(({ id }: Wire) => id === 's')).toMatchObject(
        taken ? { result: ANSWER } : { error: { code: -32602 } },
      );
      let calls = 0;
      const inside = await connected(
        modern({
          'tools/call': () =>
            (calls += 1) === 1
              ? { resultType: 'input_required', inputRequests: { q: ask } }
              : { resultType: 'complete', content: [] },
        }),
        { capabilities },
      );
      inside.client.setRequestHandler('sampling/createMessage', () => ANSWER as never);
      const called = inside.client.callTool({ name: 't' });
      if (taken) expect(await called).toMatchObject({ content: [] });
      else await expect(called).rejects.toMatchObject({ kind: 'invalid-params' });
    }
  });
});

proves('M-SAMP-015, M-SAMP-016, L-SAMPLING-016, L-SAMPLING-019, L-SAMPLING-020').describe('chooseModel', () => {
  const models = [
    { name: 'claude-small', cost: 0.9, speed: 0.9, intelligence: 0.3 },
    { name: 'claude-large', cost: 0.1, speed: 0.2, intelligence: 0.95 },
    { name: 'gemini-pro', aliases: ['claude-sonnet'], cost: 0.5, speed: 0.5, intelligence: 0.7 },
  ];
  test.each([
    [{ hints: [{ name: 'claude-sonnet' }, { name: 'claude' }] }, 'gemini-pro'],
    [{ hints: [{ name: 'unknown' }, { name: 'LARGE' }, { name: 'small' }] }, 'claude-large'],
    [{ hints: [{ name: 'claude' }], intelligencePriority: 1 }, 'claude-large'],
    [{ hints: [{ name: 'claude' }], costPriority: 1 }, 'claude-small'],
    [{ hints: [{ name: 'unknown' }], intelligencePriority: 0.9, costPriority: 0.1 }, 'claude-large'],
    [{ hints: [{}, { name: '' }], speedPriority: 1 }, 'claude-small'],
    [{}, 'claude-small'],
    [undefined, 'claude-small'],
  ])('%j → %s', (preferences, expected) => {
    expect(chooseModel(models, preferences)?.name).toBe(expected);
  });
  test('has nothing to choose from nothing', () => {
    expect(chooseModel([], { hints: [{ name: 'x' }] })).toBeUndefined();
  });
});

proves('L-SAMPLING-005, L-SAMPLING-006').describe('the content of a message in older revisions', () => {
  const blocks = {
    text: { type: 'text', text: 'x' },
    image: { type: 'image', data: 'AA==', mimeType: 'image/png' },
    audio: { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  };
  const older = revisions.filter(({ family }) => family === 'handshake').slice(1);

  test.each(older.map(({ id }) => id))('is one block, of a kind that %s has', async (revision) => {
    const audio = revision !== older.at(-1)?.id;
    for (const [kind, block] of Object.entries(blocks)) {
      const seen: unknown[] = [];
      const { client } = await linked(
        serverOf(async (ctx) => said((await ctx.sample({ messages: [user(block)], maxTokens: 1 })).model)),
        revision,
        { capabilities: { sampling: {} } },
      );
      client.setRequestHandler(
        'sampling/createMessage',
        ({ params }) => (seen.push(...params.messages), ANSWER as never),
      );
      const called = await client.callTool({ name: 't' }).catch((error: unknown) => error as Error);
      if (kind === 'audio' && !audio) {
        expect(seen.every((message) => (message as { content: { type: string } }).content.type !== 'audio')).toBe(true);
      } else {
        expect(called).toMatchObject({ content: [{ text: 'm' }] });
        expect(seen).toEqual([{ role: 'user', content: block }]);
      }
    }
    const { client } = await linked(
      serverOf((ctx) => ctx.sample({ messages: [user(blocks.text, blocks.image)], maxTokens: 1 })),
      revision,
      { capabilities: { sampling: {} } },
    );
    await expect(client.callTool({ name: 't' })).rejects.toThrow('cannot be expressed in');
  });
});
