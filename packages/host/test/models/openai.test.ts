import { expect, it } from 'vitest';
import {
  ModelError,
  openAiProvider,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
  type OpenAiOptions,
} from '../../src/models/index.ts';
import { chatAnswer, chatEvents, cutAfter, FakeEndpoint, refusing, stalling, streaming } from './fake-endpoint.ts';

const KEY = 'sk-planted-secret';
const HELLO: ModelRequest = {
  model: 'gpt-test',
  maxTokens: 100,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
};

const at = (endpoint: FakeEndpoint, more: Partial<OpenAiOptions> = {}): ModelProvider =>
  openAiProvider({
    baseUrl: `${endpoint.url}/v1`,
    apiKey: KEY,
    models: [{ name: 'gpt-test', prices: { input: 2, output: 8, cached: 0.5 } }],
    ...more,
  });

async function failure(provider: ModelProvider): Promise<ModelError> {
  const error: unknown = await provider.complete(HELLO).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

it('streams words and their usage, and counts the money', async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 600 } };
  await using endpoint = await FakeEndpoint.open(chatAnswer({ text: 'Good day.', usage }));
  const events: ModelEvent[] = [];
  const response = await at(endpoint).complete(HELLO, { onevent: (event) => events.push(event) });
  expect(response).toEqual({
    model: 'gpt-test',
    content: [{ type: 'text', text: 'Good day.' }],
    stopReason: 'end-turn',
    stopDetail: 'stop',
    usage: {
      inputTokens: 1000,
      cachedTokens: 600,
      cacheWriteTokens: 0,
      outputTokens: 50,
      cost: (400 * 2 + 600 * 0.5 + 50 * 8) / 1_000_000,
    },
  });
  expect(events.map(({ type }) => type)).toEqual(['begin', 'text', 'text', 'usage', 'end']);
});

it('sends what the API takes: key, system, limits, tools', async () => {
  await using endpoint = await FakeEndpoint.open(chatAnswer({ text: 'Yes.' }));
  const request: ModelRequest = {
    ...HELLO,
    system: 'Be kind.',
    temperature: 3,
    stopSequences: ['a', 'b', 'c', 'd', 'e'],
    tools: [{ name: 'add', description: 'x'.repeat(2000), inputSchema: { type: 'object', properties: {} } }],
    toolChoice: { name: 'add' },
    parallelTools: false,
  };
  await at(endpoint).complete(request);
  await at(endpoint, { tokenLimit: 'max_completion_tokens', asksUsage: false }).complete({
    ...request,
    toolChoice: 'any',
  });
  const [first, second] = endpoint.requests;
  expect(first?.path).toBe('/v1/chat/completions');
  expect(first?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(first?.body).toEqual({
    model: 'gpt-test',
    max_tokens: 100,
    stream: true,
    stream_options: { include_usage: true },
    temperature: 2,
    stop: ['a', 'b', 'c', 'd'],
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'add', description: 'x'.repeat(1024), parameters: { type: 'object', properties: {} } },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'add' } },
    parallel_tool_calls: false,
  });
  expect(second?.body).toMatchObject({ max_completion_tokens: 100, tool_choice: 'required' });
  expect(second?.body).not.toHaveProperty('stream_options');
});

it('reads parallel uses of tools', async () => {
  const calls = [
    { id: 'call_1', name: 'add', arguments: '{"a":1}' },
    { id: 'call_2', name: 'now', arguments: '' },
    { id: 'call_3', name: 'add', arguments: '[1]' },
  ];
  await using endpoint = await FakeEndpoint.open(chatAnswer({ text: 'Both.', calls }));
  const { content, stopReason } = await at(endpoint).complete(HELLO);
  expect(stopReason).toBe('tool-use');
  expect(content).toEqual([
    { type: 'text', text: 'Both.' },
    { type: 'tool-use', id: 'call_1', name: 'add', input: { a: 1 } },
    { type: 'tool-use', id: 'call_2', name: 'now', input: {} },
    { type: 'tool-use', id: 'call_3', name: 'add', input: {}, faultyInput: '[1]' },
  ]);
});

it('reads the uses of endpoints that number them differently, interleave them, or give no id', async () => {
  const call = (more: object, name?: string, written?: string) => ({
    tool_calls: [
      { ...more, function: { ...(name && { name }), ...(written !== undefined && { arguments: written }) } },
    ],
  });
  const sameIndex = [call({ index: 0, id: 'a' }, 'add', '{"a":1}'), call({ index: 0, id: 'b' }, 'add', '{"a":2}')];
  const without = [call({}, 'add', '{"a":'), call({}, undefined, '1}'), call({}, 'add', '{"a":2}')];
  const mixed = [
    call({ index: 0, id: 'a' }, 'add', '{"a"'),
    call({ index: 1, id: 'b' }, 'add', '{"a":2}'),
    call({ index: 0 }, undefined, ':1}'),
  ];
  const stray = [call({ index: 4 }, undefined, '{"x":1}'), { tool_calls: [null] }, ...sameIndex];
  for (const deltas of [sameIndex, without, mixed, stray]) {
    await using endpoint = await FakeEndpoint.open(chatAnswer({ deltas, finish: 'stop' }));
    const { content, stopReason } = await at(endpoint).complete(HELLO);
    expect(stopReason).toBe('tool-use');
    expect(content).toMatchObject([
      { type: 'tool-use', name: 'add', input: { a: 1 } },
      { type: 'tool-use', name: 'add', input: { a: 2 } },
    ]);
    expect(new Set(content.map((block) => 'id' in block && block.id)).size).toBe(2);
  }
});

it('sends results of tools as text, their pictures behind them, and what came with a use back with it', async () => {
  const extra_content = { google: { thought_signature: 'c2ln' } };
  const use = { index: 0, id: 'call_1', function: { name: 'look', arguments: '{}' }, extra_content };
  await using endpoint = await FakeEndpoint.open(
    chatAnswer({ deltas: [{ tool_calls: [use] }], finish: 'tool_calls' }),
    chatAnswer({ text: 'A cat.' }),
  );
  const first = await at(endpoint).complete(HELLO);
  expect(first.content).toMatchObject([{ meta: { 'openai/extra_content': extra_content } }]);
  const further = ['call_2', 'call_3'].map((id) => ({ type: 'tool-use' as const, id, name: 'look', input: {} }));
  await at(endpoint).complete({
    ...HELLO,
    messages: [
      { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, ...first.content, ...further] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And?' },
          {
            type: 'tool-result',
            toolUseId: 'call_1',
            content: [
              { type: 'text', text: 'Here:' },
              { type: 'image', data: 'aW1n', mimeType: 'image/png' },
              { type: 'resource', uri: 'file:///a b.pdf', mimeType: 'application/pdf', blob: 'cGRm' },
            ],
          },
          { type: 'tool-result', toolUseId: 'call_2', content: [{ type: 'text', text: 'No.' }], isError: true },
          { type: 'tool-result', toolUseId: 'call_3', content: [] },
          { type: 'audio', data: 'c25k', mimeType: 'audio/mpeg' },
          { type: 'audio', data: 'c25k', mimeType: 'audio/ogg' },
        ],
      },
    ],
  });
  expect(endpoint.requests[1]?.body.messages).toEqual([
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' }, extra_content },
        { id: 'call_2', type: 'function', function: { name: 'look', arguments: '{}' } },
        { id: 'call_3', type: 'function', function: { name: 'look', arguments: '{}' } },
      ],
    },
    {
      role: 'tool',
      tool_call_id: 'call_1',
      content: 'Here:\n(It follows in the next message.)\n(It follows in the next message.)',
    },
    { role: 'tool', tool_call_id: 'call_2', content: 'Error: No.' },
    { role: 'tool', tool_call_id: 'call_3', content: '(no content)' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Belongs to the result of call_1:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } },
        { type: 'file', file: { filename: 'a_b.pdf', file_data: 'data:application/pdf;base64,cGRm' } },
        { type: 'text', text: 'And?' },
        { type: 'input_audio', input_audio: { data: 'c25k', format: 'mp3' } },
        { type: 'text', text: expect.stringContaining('audio/ogg') },
      ],
    },
  ]);
});

it('keeps thoughts for endpoints that want them back, and shows them to those who watch', async () => {
  const deltas = [{ reasoning_content: 'Hm, ' }, { reasoning_content: 'well.' }, { content: 'Yes.' }];
  await using endpoint = await FakeEndpoint.open(chatAnswer({ deltas }));
  const events: ModelEvent[] = [];
  const returning = at(endpoint, { returnsReasoning: true });
  const { content } = await returning.complete(HELLO, { onevent: (event) => events.push(event) });
  expect(events.filter(({ type }) => type === 'reasoning')).toHaveLength(2);
  await returning.complete({ ...HELLO, messages: [{ role: 'assistant', content }] });
  await at(endpoint).complete({ ...HELLO, messages: [{ role: 'assistant', content }] });
  expect(endpoint.requests[1]?.body.messages).toEqual([
    { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm, well.' },
  ]);
  expect(endpoint.requests[2]?.body.messages).toEqual([{ role: 'assistant', content: 'Yes.' }]);
});

it.each([
  [{ text: 'Half', finish: 'length' }, 'max-tokens'],
  [{ text: '', finish: 'content_filter' }, 'refused'],
  [{ deltas: [{ refusal: 'I cannot ' }, { refusal: 'do that.' }] }, 'refused'],
  [{ text: 'x', finish: 'a_reason_of_tomorrow' }, 'other'],
])('knows why the model stopped: %j', async (answer, stopReason) => {
  await using endpoint = await FakeEndpoint.open(chatAnswer(answer));
  const response = await at(endpoint).complete(HELLO);
  expect(response.stopReason).toBe(stopReason);
  if ('deltas' in answer) expect(response.content).toEqual([{ type: 'text', text: 'I cannot do that.' }]);
});

const said = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});

it.each([
  [400, said('Invalid value: "x"'), {}, { kind: 'bad-request' }],
  [400, said('too long', 'context_length_exceeded'), {}, { kind: 'context-overflow' }],
  [400, said("This model's maximum context length is 8192 tokens"), {}, { kind: 'context-overflow' }],
  [400, said('filtered', 'content_filter'), {}, { kind: 'refused' }],
  [401, said(`Incorrect API key provided: ${KEY}`, 'invalid_api_key'), {}, { kind: 'auth' }],
  [404, said('The model does not exist', 'model_not_found'), {}, { kind: 'bad-request' }],
  [
    429,
    said('Rate limit reached', 'rate_limit_exceeded'),
    { 'retry-after-ms': '350' },
    { kind: 'rate-limited', retryAfterMs: 350 },
  ],
  [429, said('You exceeded your current quota', 'insufficient_quota'), {}, { kind: 'auth' }],
  [500, said('The server had an error', null, 'server_error'), {}, { kind: 'overloaded' }],
  [503, 'no JSON at all', {}, { kind: 'overloaded' }],
])('tells errors apart: %i %j', async (status, body, headers, expected) => {
  await using endpoint = await FakeEndpoint.open(refusing(status, body, headers));
  const error = await failure(at(endpoint));
  expect(error).toMatchObject({ ...expected, status, provider: 'openai' });
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(KEY);
  expect(endpoint.requests).toHaveLength(1);
});

it('knows a date in retry-after', async () => {
  const later = new Date(Date.now() + 20_000).toUTCString();
  await using endpoint = await FakeEndpoint.open(refusing(429, said('slow'), { 'retry-after': later }));
  const { retryAfterMs = 0 } = await failure(at(endpoint));
  expect(retryAfterMs).toBeGreaterThan(15_000);
  expect(retryAfterMs).toBeLessThan(21_000);
});

it('keeps the part that came when the connection is cut, or the end never comes', async () => {
  const events = chatEvents({ text: 'Good day.' }).slice(0, 3);
  await using endpoint = await FakeEndpoint.open(
    cutAfter(events),
    streaming(events),
    streaming([...events, 'data: {"error":{"message":"broken","type":"server_error"}}\n\n']),
    streaming([...events, 'data: {no JSON\n\n']),
  );
  const partial = { content: [{ type: 'text', text: 'Good day.' }] };
  expect(await failure(at(endpoint))).toMatchObject({ kind: 'interrupted', partial });
  expect(await failure(at(endpoint))).toMatchObject({ kind: 'interrupted', partial });
  expect(await failure(at(endpoint))).toMatchObject({ kind: 'overloaded', partial });
  expect(await failure(at(endpoint))).toMatchObject({ kind: 'interrupted', partial });
});

it('is not reached where nothing listens', async () => {
  const endpoint = await FakeEndpoint.open();
  await endpoint[Symbol.asyncDispose]();
  const provider = openAiProvider({ baseUrl: 'http://127.0.0.1:9/v1', models: ['gpt-test'] });
  expect(await failure(provider)).toMatchObject({ kind: 'network', provider: 'openai' });
});

it('ends with the reason of its signal', async () => {
  await using endpoint = await FakeEndpoint.open(stalling(chatEvents({ text: 'Good day.' }).slice(0, 2)));
  const stopped = new AbortController();
  const reason = new Error('The user cancelled it.');
  const onevent = (event: ModelEvent): void => void (event.type === 'text' && stopped.abort(reason));
  await expect(at(endpoint).complete(HELLO, { signal: stopped.signal, onevent })).rejects.toBe(reason);
});

it('gives no key of the environment to another address', async () => {
  await using endpoint = await FakeEndpoint.open(chatAnswer({ text: 'Yes.' }));
  process.env['OPENAI_API_KEY'] = KEY;
  process.env['OPENAI_ORG_ID'] = 'org-planted';
  try {
    await openAiProvider({ baseUrl: `${endpoint.url}/v1`, models: ['gpt-test'] }).complete(HELLO);
    expect(JSON.stringify(endpoint.requests[0]?.headers)).not.toMatch(/planted/);
    expect(openAiProvider({ models: ['gpt-test'] }).models()).toEqual([{ name: 'gpt-test' }]);
  } finally {
    delete process.env['OPENAI_API_KEY'];
    delete process.env['OPENAI_ORG_ID'];
  }
  expect(await failure(openAiProvider({ models: ['gpt-test'] }))).toMatchObject({ kind: 'auth' });
});
