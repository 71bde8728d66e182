/** What a client with bad intentions, or a broken one, may send to a server. */
export interface ServerInput {
  /** The row of the table. */
  readonly name: string;
  /** Bytes to write, chunk by chunk, or messages to send: only these can also pass a transport that has no bytes. */
  readonly chunks?: () => Iterable<Uint8Array | string>;
  readonly messages?: (envelope: (params?: object) => object) => readonly unknown[];
  /** The id that an answer may carry; `x` unless given. */
  readonly id?: unknown;
  /** Not for revisions that have batches. */
  readonly noBatches?: true;
  /** Only where there is a handshake. */
  readonly handshakeOnly?: true;
  /** The id whose answer is waited for before the connection is tried. */
  readonly until?: unknown;
  /** Everything is answered with a result, so only their number is compared. */
  readonly count?: number;
}

type Envelope = (params?: object) => object;
const request = (id: unknown, method: unknown, params?: unknown): object => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params !== undefined && { params }),
});
const add = (id: unknown, envelope: Envelope): object =>
  request(id, 'tools/call', envelope({ name: 'add', arguments: { a: 1, b: 1 } }));
const echo = (id: unknown, value: unknown, envelope: Envelope): object =>
  request(id, 'tools/call', envelope({ name: 'echo', arguments: { value } }));
const raw = (text: string) => ({ chunks: () => [`${text}\n`] });
const DEEP = 1_000_000;
const MEGABYTE = 1024 * 1024;

function* hundredMegabytes(head: string, tail: string): Iterable<Uint8Array | string> {
  yield head;
  const block = Buffer.alloc(MEGABYTE, 'x');
  for (let count = 0; count < 100; count++) yield block;
  yield `${tail}\n`;
}

const text = (value: object): string => JSON.stringify(value);

/** Bytes that the framing has to deal with. */
export const framedInputs: readonly ServerInput[] = [
  { name: 'empty lines', ...raw('\n  \r\n\t') },
  { name: 'text that is no JSON', ...raw('Listening on port 3000') },
  { name: 'half a message', ...raw('{"jsonrpc":"2.0","id":"x","meth') },
  {
    name: 'two messages on one line',
    ...raw('{"jsonrpc":"2.0","id":"x","method":"ping"}{"jsonrpc":"2.0","id":"y","method":"ping"}'),
  },
  { name: 'bytes that are no UTF-8', chunks: () => [Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d, 0x0a])] },
  { name: 'bytes of a program', chunks: () => [Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 0x0a])] },
  {
    name: 'a line of 100 MB',
    chunks: () =>
      hundredMegabytes(
        '{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo","arguments":{"value":"',
        '"}}}',
      ),
  },
  { name: 'a line of 100 MB whose id cannot be found', chunks: () => hundredMegabytes('', '') },
  {
    name: 'a million arrays, one inside the other',
    chunks: () => ['['.repeat(DEEP), `${']'.repeat(DEEP)}\n`],
    noBatches: true,
  },
  { name: 'a million open brackets', chunks: () => ['['.repeat(DEEP), '\n'] },
];

/** Messages, some of which no client should send. */
export const messageInputs: readonly ServerInput[] = [
  { name: 'a number, a text, null, true', messages: () => [7, 'x', null, true] },
  { name: 'an empty array', messages: () => [[]] },
  { name: 'an array where an object belongs', messages: (envelope) => [[add('x', envelope)]], noBatches: true },
  { name: 'an empty object', messages: () => [{}] },
  { name: 'no jsonrpc', messages: (envelope) => [{ id: 'x', method: 'tools/list', params: envelope() }] },
  {
    name: 'another jsonrpc',
    messages: (envelope) => [{ jsonrpc: 2, id: 'x', method: 'tools/list', params: envelope() }],
  },
  { name: 'no method', messages: () => [{ jsonrpc: '2.0', id: 'x' }] },
  {
    name: 'members in another case',
    messages: (envelope) => [
      { jsonrpc: '2.0', id: 'x', Method: 'tools/list', params: envelope() },
      request('x', 'Tools/List', envelope()),
    ],
  },
  { name: 'a method that is no text', messages: () => [request('x', { toString: 'ping' })] },
  { name: 'an unknown method', messages: (envelope) => [request('x', 'example/nobody', envelope())] },
  {
    name: 'methods named after members of every object',
    messages: (envelope) =>
      ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((method) => request('x', method, envelope())),
  },
  { name: 'a method name of a megabyte', messages: (envelope) => [request('x', 'm'.repeat(MEGABYTE), envelope())] },
  { name: 'a method of the server', messages: (envelope) => [request('x', 'roots/list', envelope())] },
  {
    name: 'a notification sent as a request',
    messages: (envelope) => [request('x', 'notifications/initialized', envelope())],
  },
  {
    name: 'a request sent as a notification',
    messages: (envelope) => [{ jsonrpc: '2.0', method: 'tools/list', params: envelope() }],
  },
  { name: 'params that are an array', messages: () => [request('x', 'tools/list', [1, 2])] },
  { name: 'params that are null', messages: () => [{ jsonrpc: '2.0', id: 'x', method: 'tools/list', params: null }] },
  { name: 'a null id', messages: (envelope) => [request(null, 'tools/list', envelope())] },
  { name: 'a fractional id', messages: (envelope) => [request(1.5, 'tools/list', envelope())] },
  { name: 'an id that is an object', messages: (envelope) => [request({ id: 'x' }, 'tools/list', envelope())] },
  { name: 'a huge id', messages: (envelope) => [add(1e300, envelope)], id: 1e300 },
  {
    name: 'an id of a megabyte',
    messages: (envelope) => [add('i'.repeat(MEGABYTE), envelope)],
    id: 'i'.repeat(MEGABYTE),
  },
  { name: 'an empty id', messages: (envelope) => [add('', envelope)], id: '' },
  { name: 'an id named __proto__', messages: (envelope) => [add('__proto__', envelope)], id: '__proto__' },
  {
    name: 'an id that is in flight',
    messages: (envelope) => [
      request('x', 'tools/call', envelope({ name: 'hold', arguments: { key: 'twice' } })),
      add('x', envelope),
      request('release', 'tools/call', envelope({ name: 'release', arguments: { key: 'twice', value: 'first' } })),
    ],
    until: 'x',
  },
  {
    name: 'an answer to nothing',
    messages: () => [
      { jsonrpc: '2.0', id: 4711, result: {} },
      { jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'no' } },
    ],
  },
  { name: 'an error without an id', messages: () => [{ jsonrpc: '2.0', error: { code: -32700, message: 'no' } }] },
  {
    name: 'an answer with both result and error',
    messages: () => [{ jsonrpc: '2.0', id: 'x', result: {}, error: { code: 1, message: 'no' } }],
  },
  { name: 'a request with a result', messages: () => [{ jsonrpc: '2.0', id: 'x', method: 'ping', result: {} }] },
  {
    name: 'members named __proto__ and constructor',
    messages: (envelope) => [
      echo('x', JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'), envelope),
    ],
  },
  {
    name: 'arguments named __proto__',
    messages: (envelope) => [
      request(
        'x',
        'tools/call',
        envelope({ name: 'whoami', arguments: JSON.parse('{"__proto__":{"polluted":true}}') as object }),
      ),
    ],
  },
  {
    name: 'a tool named __proto__',
    messages: (envelope) => ['__proto__', 'constructor'].map((name) => request('x', 'tools/call', envelope({ name }))),
  },
  { name: 'a text of ten megabytes', messages: (envelope) => [echo('x', 'ß'.repeat(5 * MEGABYTE), envelope)] },
  {
    name: 'half a surrogate pair, and every control character',
    messages: (envelope) => [
      echo(
        'x',
        `\ud83d${String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code))}\u2028\u2029\ufeff`,
        envelope,
      ),
    ],
  },
  {
    name: 'a progress token of a wrong type',
    messages: (envelope) => [
      request('x', 'tools/call', withMeta(envelope({ name: 'progress' }), { progressToken: { a: 1 } })),
    ],
  },
  { name: 'a cursor of a wrong type', messages: (envelope) => [request('x', 'tools/list', envelope({ cursor: {} }))] },
  { name: 'an unknown notification', messages: () => [{ jsonrpc: '2.0', method: 'example/nobody', params: { a: 1 } }] },
  {
    name: 'a malformed notification',
    messages: () => [
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: [1] },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } },
      { jsonrpc: '2.0', method: 'notifications/progress' },
    ],
  },
  {
    name: 'a second handshake',
    messages: () => [
      request('x', 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'again', version: '1' },
      }),
    ],
    handshakeOnly: true,
  },
  {
    name: 'ten thousand requests at once',
    messages: (envelope) => Array.from({ length: 10_000 }, (_, index) => add(`n${index}`, envelope)),
    count: 10_000,
  },
];

function withMeta(params: object, more: object): object {
  const own = (params as { _meta?: object })._meta;
  return { ...params, _meta: { ...own, ...more } };
}

/** Needs the envelope, so they are made by the test: the same request in unusual clothes. */
export function dressedInputs(envelope: Envelope): readonly ServerInput[] {
  const line = text(add('x', envelope));
  const deep = text(echo('x', 0, envelope)).replace('"value":0', `"value":${'['.repeat(DEEP)}${']'.repeat(DEEP)}`);
  return [
    {
      name: 'a line split at every byte',
      chunks: () => [...Buffer.from(`${text(echo('x', 'é😀漢', envelope))}\n`)].map((byte) => Buffer.from([byte])),
    },
    { name: 'a line that ends in CR LF and starts with a byte order mark', chunks: () => [`\ufeff${line}\r\n`] },
    { name: 'a line with white space around the message', chunks: () => [`  \t${line}  \n`] },
    { name: 'arguments nested a million deep', chunks: () => [`${deep}\n`] },
  ];
}
