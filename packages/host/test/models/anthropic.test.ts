import { expect, it } from 'vitest';
import {
  ModelError,
  anthropicProvider,
  type ModelEvent,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
} from '../../src/models/index.ts';
import {
  anthropicAnswer,
  anthropicEvent,
  anthropicEvents,
  cutAfter,
  FakeEndpoint,
  refusing,
  stalling,
  streaming,
} from './fake-endpoint.ts';

const KEY = 'sk-ant-planted-secret';
const HELLO: ModelRequest = {
  model: 'claude-test',
  maxTokens: 100,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
};
const TEXT = { type: 'text', text: 'Good day.' };

const at = (endpoint: FakeEndpoint): ModelProvider =>
  anthropicProvider({
    baseUrl: endpoint.url,
    apiKey: KEY,
    models: [
      { name: 'claude-test', prices: { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 }, maxOutputTokens: 500 },
    ],
  });

async function failure(provider: ModelProvider, request: ModelRequest = HELLO): Promise<ModelError> {
  const error: unknown = await provider.complete(request).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

it('streams words and their usage, and counts the money', async () => {
  const usage = {
    input_tokens: 1000,
    cache_read_input_tokens: 2000,
    cache_creation_input_tokens: 400,
    output_tokens: 1,
  };
  await using endpoint = await FakeEndpoint.open(anthropicAnswer({ blocks: [TEXT], usage, output: 100 }));
  const events: ModelEvent[] = [];
  const response = await at(endpoint).complete(HELLO, { onevent: (event) => events.push(event) });
  expect(response).toEqual({
    model: 'claude-test',
    content: [TEXT],
    stopReason: 'end-turn',
    stopDetail: 'end_turn',
    usage: {
      inputTokens: 3400,
      cachedTokens: 2000,
      cacheWriteTokens: 400,
      outputTokens: 100,
      cost: (1000 * 3 + 2000 * 0.3 + 400 * 3.75 + 100 * 15) / 1_000_000,
    },
  });
  expect(events.map(({ type }) => type)).toEqual(['begin', 'usage', 'text', 'text', 'usage', 'end']);
  expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')).toBe('Good day.');
  expect(events.at(-1)).toEqual({ type: 'end', response });
});

it('sends what the API takes: key, version, system, limits, tools', async () => {
  await using endpoint = await FakeEndpoint.open(anthropicAnswer({ blocks: [TEXT] }));
  await at(endpoint).complete({
    ...HELLO,
    system: 'Be kind.',
    maxTokens: 90_000,
    temperature: 1.7,
    stopSequences: ['END', ' '],
    tools: [{ name: 'add', description: 'Adds.', inputSchema: { anyOf: [{ properties: { a: { type: 'number' } } }] } }],
    toolChoice: 'any',
    parallelTools: false,
  });
  const [sent] = endpoint.requests;
  expect(sent?.path).toBe('/v1/messages');
  expect(sent?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'anthropic-version': '2026-10-21' });
  expect(sent?.body).toEqual({
    model: 'claude-test',
    max_tokens: 500,
    stream: true,
    system: 'Be kind.',
    stop_sequences: ['END'],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    tools: [{ name: 'add', description: 'Adds.', input_schema: expect.objectContaining({ type: 'object' }) }],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
  });
  expect(sent?.body['tools']).not.toHaveProperty('0.input_schema.anyOf');
});

it('reads parallel uses of tools, also those whose arguments are no JSON', async () => {
  const blocks = [
    { type: 'text', text: 'Both at once.' },
    { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1, b: [2] } },
    { type: 'tool_use', id: 'toolu_2', name: 'now', input: '' },
    { type: 'tool_use', id: 'toolu_3', name: 'add', input: '{"a": 1, "b"' },
  ];
  await using endpoint = await FakeEndpoint.open(anthropicAnswer({ blocks, stop: 'tool_use' }));
  const events: ModelEvent[] = [];
  const { content, stopReason } = await at(endpoint).complete(HELLO, { onevent: (event) => events.push(event) });
  expect(stopReason).toBe('tool-use');
  expect(content).toEqual([
    { type: 'text', text: 'Both at once.' },
    { type: 'tool-use', id: 'toolu_1', name: 'add', input: { a: 1, b: [2] } },
    { type: 'tool-use', id: 'toolu_2', name: 'now', input: {} },
    { type: 'tool-use', id: 'toolu_3', name: 'add', input: {}, faultyInput: '{"a": 1, "b"' },
  ]);
  expect(events.filter(({ type }) => type === 'tool-use-done')).toHaveLength(3);
  expect(events).toContainEqual({ type: 'tool-use-begun', id: 'toolu_2', name: 'now' });
  const written = events.flatMap((event) =>
    event.type === 'tool-use-arguments' && event.id === 'toolu_1' ? event.text : [],
  );
  expect(JSON.parse(written.join(''))).toEqual({ a: 1, b: [2] });
});

it('sends results of tools with pictures, documents and resources, and gives thoughts back as they came', async () => {
  const thinking = { type: 'thinking', thinking: 'Hm, a picture.', signature: 'c2ln' };
  const hidden = { type: 'redacted_thinking', data: 'b3BhcXVl' };
  const blocks = [thinking, hidden, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }];
  await using endpoint = await FakeEndpoint.open(
    anthropicAnswer({ blocks, stop: 'tool_use' }),
    anthropicAnswer({ blocks: [TEXT] }),
  );
  const first = await at(endpoint).complete(HELLO);
  const results: ModelMessage = {
    role: 'user',
    content: [
      {
        type: 'tool-result',
        toolUseId: 'toolu_1',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'Here:' },
          { type: 'image', data: 'aW1n', mimeType: 'image/PNG' },
          { type: 'image', data: 'aW1n', mimeType: 'image/tiff' },
          { type: 'audio', data: 'c25k', mimeType: 'audio/wav' },
          { type: 'resource', uri: 'file:///a.txt', text: 'The words' },
          { type: 'resource', uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: 'cGRm' },
          { type: 'resource', uri: 'file:///a.gif', mimeType: 'image/gif', blob: 'Z2lm' },
          { type: 'resource', uri: 'file:///a.zip', mimeType: 'application/zip', blob: 'emlw' },
          { type: 'resource', uri: 'file:///linked' },
        ],
      },
      { type: 'tool-result', toolUseId: 'an id: with spaces', content: [{ type: 'text', text: 'No.' }], isError: true },
    ],
  };
  const foreign = { type: 'reasoning' as const, provider: 'another', data: 'thoughts of another model' };
  const drawn = { type: 'image' as const, data: 'aW1n', mimeType: 'image/png' };
  const odd = { type: 'tool-use' as const, id: 'an id: with spaces', name: 'look', input: { at: 1 } };
  await at(endpoint).complete({
    ...HELLO,
    messages: [
      ...HELLO.messages,
      { role: 'assistant', content: [...first.content, foreign, odd, drawn] },
      results,
      { role: 'user', content: [] },
    ],
  });
  const messages = endpoint.requests[1]?.body.messages ?? [];
  expect(messages).toHaveLength(3);
  const sent = (messages[1]?.['content'] ?? []) as readonly { readonly id?: string }[];
  expect(sent.slice(0, 3)).toEqual([thinking, hidden, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }]);
  expect(sent[4]).toEqual({ type: 'text', text: '(image)' });
  expect(sent[3]?.id).toMatch(/^[a-zA-Z0-9_-]+$/);
  expect(JSON.stringify(messages)).not.toContain('thoughts of another model');
  expect(messages[2]?.['content']).toEqual([
    {
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: [
        { type: 'text', text: 'Here:' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
        { type: 'text', text: expect.stringContaining('image/tiff') },
        { type: 'text', text: expect.stringContaining('audio/wav') },
        { type: 'text', text: 'Resource file:///a.txt:\nThe words' },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
          title: 'file:///a.pdf',
        },
        { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'Z2lm' } },
        { type: 'text', text: expect.stringContaining('application/zip') },
        { type: 'text', text: expect.stringContaining('file:///linked') },
      ],
    },
    { type: 'tool_result', tool_use_id: sent[3]?.id, content: [{ type: 'text', text: 'No.' }], is_error: true },
  ]);
});

it.each([
  ['max_tokens', 'max-tokens'],
  ['stop_sequence', 'stop-sequence'],
  ['pause_turn', 'paused'],
  ['refusal', 'refused'],
  ['model_context_window_exceeded', 'context-overflow'],
  ['a_reason_of_tomorrow', 'other'],
])('knows why the model stopped: %s', async (stop, stopReason) => {
  await using endpoint = await FakeEndpoint.open(anthropicAnswer({ blocks: [TEXT], stop }));
  expect(await at(endpoint).complete(HELLO)).toMatchObject({ stopReason, stopDetail: stop });
});

it('says what kind of refusal it was, and thinks and caches as it is told to', async () => {
  const stopDetails = { type: 'refusal', category: 'cyber', explanation: null };
  await using endpoint = await FakeEndpoint.open(anthropicAnswer({ blocks: [], stop: 'refusal', stopDetails }));
  const provider = anthropicProvider({
    baseUrl: endpoint.url,
    apiKey: KEY,
    models: ['claude-test'],
    thinking: 'disabled',
    caches: true,
  });
  const response = await provider.complete(HELLO);
  expect(response).toMatchObject({ content: [], stopReason: 'refused', stopDetail: 'refusal (cyber)' });
  expect(endpoint.requests[0]?.body).toMatchObject({
    thinking: { type: 'disabled' },
    cache_control: { type: 'ephemeral' },
  });
});

const said = (type: string, message: string) => ({ type: 'error', error: { type, message } });

it.each([
  [400, said('invalid_request_error', 'messages: roles must alternate'), {}, { kind: 'bad-request' }],
  [
    400,
    said('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    {},
    { kind: 'context-overflow' },
  ],
  [400, said('invalid_request_error', 'Your credit balance is too low'), {}, { kind: 'auth' }],
  [401, said('authentication_error', `invalid x-api-key ${KEY}`), {}, { kind: 'auth' }],
  [403, said('permission_error', 'not for you'), {}, { kind: 'auth' }],
  [404, said('not_found_error', 'model: claude-none'), {}, { kind: 'bad-request' }],
  [413, said('request_too_large', 'too large'), {}, { kind: 'context-overflow' }],
  [429, said('rate_limit_error', 'slow down'), { 'retry-after': '7' }, { kind: 'rate-limited', retryAfterMs: 7000 }],
  [
    429,
    said('rate_limit_error', 'slow down'),
    { 'retry-after': '999999' },
    { kind: 'rate-limited', retryAfterMs: 3_600_000 },
  ],
  [
    429,
    said('rate_limit_error', 'slow down'),
    { 'retry-after': 'soon' },
    { kind: 'rate-limited', retryAfterMs: undefined },
  ],
  [500, said('api_error', 'Internal server error'), {}, { kind: 'overloaded' }],
  [529, said('overloaded_error', 'Overloaded'), {}, { kind: 'overloaded' }],
  [502, '<html>\u001b[31mBad gateway', {}, { kind: 'overloaded' }],
])('tells errors apart: %i %j', async (status, body, headers, expected) => {
  await using endpoint = await FakeEndpoint.open(refusing(status, body, headers));
  const error = await failure(at(endpoint));
  expect(error).toMatchObject({ ...expected, status, provider: 'anthropic' });
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(KEY);
  expect(error.message).not.toContain('\u001b');
  expect(error.cause).toBeUndefined();
  // The library tries nothing again.
  expect(endpoint.requests).toHaveLength(1);
});

it('keeps the part that came when the connection is cut in the middle', async () => {
  const events = anthropicEvents({
    blocks: [TEXT, { type: 'tool_use', id: 'toolu_1', name: 'pay', input: { sum: 100 } }],
  });
  const middle = events.findIndex((event) => event.includes('input_json_delta')) + 2;
  await using endpoint = await FakeEndpoint.open(cutAfter(events.slice(0, middle)));
  const error = await failure(at(endpoint));
  expect(error.kind).toBe('interrupted');
  // A use whose arguments are not whole is no use.
  expect(error.partial).toMatchObject({ content: [TEXT], usage: { inputTokens: 20 } });
});

it('knows an answer without its end from a whole one', async () => {
  const events = anthropicEvents({ blocks: [TEXT] }).slice(0, -2);
  await using endpoint = await FakeEndpoint.open(streaming(events), streaming([]));
  expect(await failure(at(endpoint))).toMatchObject({ kind: 'interrupted', partial: { content: [TEXT] } });
  expect(await failure(at(endpoint))).toMatchObject({ kind: 'interrupted', partial: { content: [] } });
});

it('reads an error inside of a stream', async () => {
  const events = [
    ...anthropicEvents({ blocks: [TEXT] }).slice(0, 4),
    anthropicEvent(said('overloaded_error', 'Overloaded')),
  ];
  await using endpoint = await FakeEndpoint.open(streaming(events));
  expect(await failure(at(endpoint))).toMatchObject({
    kind: 'overloaded',
    message: 'anthropic cannot answer now: Overloaded',
  });
});

it('ends with the reason of its signal, in the middle and before', async () => {
  const events = anthropicEvents({ blocks: [TEXT] }).slice(0, 4);
  await using endpoint = await FakeEndpoint.open(stalling(events));
  const stopped = new AbortController();
  const reason = new Error('The user cancelled it.');
  const onevent = (event: ModelEvent): void => void (event.type === 'text' && stopped.abort(reason));
  await expect(at(endpoint).complete(HELLO, { signal: stopped.signal, onevent })).rejects.toBe(reason);
  await expect(at(endpoint).complete(HELLO, { signal: stopped.signal })).rejects.toBe(reason);
  expect(endpoint.requests).toHaveLength(1);
});

it('gives up on an endpoint that says nothing any more', async () => {
  await using endpoint = await FakeEndpoint.open(stalling(anthropicEvents({ blocks: [TEXT] }).slice(0, 4)), () => {});
  const provider = anthropicProvider({ baseUrl: endpoint.url, apiKey: KEY, models: ['claude-test'], idleMs: 200 });
  expect(await failure(provider)).toMatchObject({
    kind: 'interrupted',
    message: expect.stringContaining('200 milliseconds'),
  });
  expect(await failure(provider)).toMatchObject({ kind: 'network' });
});

it('follows no redirect: the key would go along', async () => {
  await using other = await FakeEndpoint.open(anthropicAnswer({ blocks: [TEXT] }));
  await using endpoint = await FakeEndpoint.open(refusing(307, '', { location: `${other.url}/v1/messages` }));
  expect((await failure(at(endpoint))).kind).toBe('network');
  expect(other.requests).toEqual([]);
});

it('asks for the key each time, and never gives that of the environment to another address', async () => {
  await using endpoint = await FakeEndpoint.open(anthropicAnswer({ blocks: [TEXT] }));
  const keys = ['first', undefined];
  const provider = anthropicProvider({
    baseUrl: endpoint.url,
    models: ['claude-test'],
    apiKey: async () => keys.shift(),
  });
  await provider.complete(HELLO);
  expect(endpoint.requests[0]?.headers.authorization).toBe('Bearer first');
  process.env['ANTHROPIC_API_KEY'] = KEY;
  try {
    expect(await failure(provider)).toMatchObject({ kind: 'auth', message: expect.stringContaining('no key') });
  } finally {
    delete process.env['ANTHROPIC_API_KEY'];
  }
  const failing = anthropicProvider({
    models: ['claude-test'],
    apiKey: () => Promise.reject(new Error(`locked: ${KEY}`)),
  });
  const error = await failure(failing);
  expect(error.kind).toBe('auth');
  expect(`${error.message}${error.stack}`).not.toContain(KEY);
  expect(endpoint.requests).toHaveLength(1);
});

it('goes on when a listener fails', async () => {
  await using endpoint = await FakeEndpoint.open(anthropicAnswer({ blocks: [TEXT] }));
  const onevent = (): never => {
    throw new Error('broken screen');
  };
  expect((await at(endpoint).complete(HELLO, { onevent })).content).toEqual([TEXT]);
});
