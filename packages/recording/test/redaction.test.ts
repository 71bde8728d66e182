import { describe, expect, it } from 'vitest';
import { LineRedaction } from '../src/line-redaction.ts';
import { messagesOf, readAll, recorded, request, toServer } from './files.ts';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';
const PEM = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----';

/** Each with the text that must not be in the file, and lines that have it. */
const PLANTED: Readonly<Record<string, readonly [secret: string, ...lines: Parameters<typeof recorded>[0]]>> = {
  'an authorization header': ['dXNlcjpvcGVu', { kind: 'acme.http', headers: { Authorization: 'Basic dXNlcjpvcGVu' } }],
  'a bearer token in a text': ['abc123def456', { kind: 'note', text: 'sent with Bearer abc123def456' }],
  'basic credentials in a text': ['YWRhOmxvdmVsYWNl', { kind: 'note', text: 'header basic YWRhOmxvdmVsYWNl' }],
  'a cookie': ['sid=9f8e7d', { kind: 'acme.http', headers: { 'set-cookie': ['sid=9f8e7d; Path=/'] } }],
  'a header of another name': ['k-12345', { kind: 'acme.http', headers: { 'X-Api-Key': 'k-12345' } }],
  'a header as a pair': ['k-67890', { kind: 'acme.http', headers: [{ name: 'X-Api-Key', value: 'k-67890' }] }],
  'an argument by its name': ['hunter2', toServer(request({ name: 'login', arguments: { password: 'hunter2' } }))],
  'an argument inside of another': ['s3same', toServer(request({ arguments: { db: [{ auth: { pass: 's3same' } }] } }))],
  'an object of secrets': ['inner-1', toServer(request({ arguments: { credentials: { user: 'a', x: 'inner-1' } } }))],
  'a variable in a text': ['v4lue-of', { kind: 'stderr', hop: 'server', text: 'started with API_KEY=v4lue-of ok' }],
  'JSON inside of a text': ['n3sted', toServer(request({ text: JSON.stringify({ client_secret: 'n3sted' }) }))],
  'a password in a URL': [
    'p4ss',
    { kind: 'closed', hop: 'server', reason: 'refused by https://ada:p4ss@example.com/' },
  ],
  'a user in a URL': ['t0ken-as-user', toServer(request({ uri: 'https://t0ken-as-user@example.com/a' }))],
  'a parameter of a URL': ['q-token-1', toServer(request({ uri: 'https://example.com/?a=1&access_token=q-token-1' }))],
  'a code in a URL': ['c0de-1', toServer(request({ url: 'https://example.com/cb?code=c0de-1&state=x' }))],
  'a signature in a URL': ['5igned', toServer(request({ url: 'https://s3.example.com/x?X-Amz-Signature=5igned' }))],
  'a token of a known form': ['ghp_0123456789abcdefghij', toServer(request({ text: 'ghp_0123456789abcdefghij' }))],
  'a JSON Web Token': [
    TOKEN,
    toServer({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: TOKEN }] } }),
  ],
  'a private key': ['MIIEvQIBADANBgkq', toServer(request({ text: PEM }))],
  'the name of a member': ['ghp_abcdefghij0123456789', toServer(request({ users: { ghp_abcdefghij0123456789: 1 } }))],
  'the message of an error': [
    'e-secret',
    toServer({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'token=e-secret' } }),
  ],
  'a text that the program knows': ['correct horse', toServer(request({ text: 'is it correct horse?' }))],
  'a known text in a URL': ['known%20text', toServer(request({ uri: 'a://b/known%20text' }))],
  'a known text in JSON in a text': ['quoted\\\\\\"one', toServer(request({ text: JSON.stringify(['quoted"one']) }))],
  'a known number': ['48151623', toServer(request({ n: 48151623 }))],
  'a known name of a member': ['correct horse', toServer(request({ 'correct horse': 1 }))],
  'the id of a session': ['session-id-1', { kind: 'connected', hop: 'server', session: 'session-id-1' }],
  'the default of a password field': [
    'd3fault',
    toServer(request({ inputSchema: { properties: { password: { type: 'string', default: 'd3fault' } } } })),
  ],
  'the default of a hidden field': [
    'h1dden',
    toServer(request({ properties: { word: { type: 'string', format: 'password', examples: ['h1dden'] } } })),
  ],
};

const known = ['correct horse', 'known text', 'quoted"one', '48151623', 'no'];

describe('a planted secret is not in the file', () => {
  it.each(Object.entries(PLANTED))('%s', async (_where, [secret, ...lines]) => {
    // The secret is there without the masks.
    expect(JSON.stringify(lines)).toContain(secret);
    const file = await recorded(lines, { secrets: known });
    expect(file).not.toContain(secret);
    expect((await readAll(file)).lines).toHaveLength(lines.length + 1);
  });

  it('all in one line, and in the header', async () => {
    const all = Object.values(PLANTED).flatMap(([, ...lines]) => lines);
    const secrets = Object.values(PLANTED).map(([secret]) => secret);
    const hops = { server: { env: { API_TOKEN: 'header-1' }, url: 'https://u:header-2@a' } };
    const file = await recorded([{ kind: 'acme.all', all: JSON.parse(JSON.stringify(all)) as unknown }], {
      secrets: () => [...known, 'session-id-1'],
      hops,
    });
    for (const secret of [...secrets, 'header-1', 'header-2']) expect(file).not.toContain(secret);
  });
});

const question = (fields: object): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Well?', requestedSchema: { type: 'object', properties: fields } },
});
const FIELDS = {
  user: { type: 'string' },
  word: { type: 'string', format: 'password' },
  pin: { type: 'integer' },
  second: { type: 'string', title: 'Your passphrase' },
  third: { type: 'string', writeOnly: true },
};
const ANSWER = {
  action: 'accept',
  content: { user: 'ada', word: 'w-1', pin: 4711, second: 's-2', third: 't-3', unasked: 'u-4' },
};
const MASKED = {
  action: 'accept',
  content: {
    user: 'ada',
    word: '[redacted]',
    pin: '[redacted]',
    second: '[redacted]',
    third: '[redacted]',
    unasked: '[redacted]',
  },
};

describe('the answer to a form', () => {
  it('is kept but for the fields that are secrets, in the handshake family', async () => {
    const result = { jsonrpc: '2.0', id: 1, result: ANSWER };
    const { lines } = await readAll(await recorded([toServer(question(FIELDS)), toServer(result)]));
    expect(messagesOf(lines)).toEqual([question(FIELDS), { ...result, result: MASKED }]);
  });

  it('and in the per-request family', async () => {
    const { method, params } = question(FIELDS) as { method: string; params: object };
    const asked = {
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'input_required', inputRequests: { q: { method, params } } },
    };
    const again = request({ name: 'a', inputResponses: { q: ANSWER, r: { roots: [] } } });
    const { lines } = await readAll(await recorded([toServer(asked), toServer(again)]));
    expect(messagesOf(lines)).toEqual([asked, request({ name: 'a', inputResponses: { q: MASKED, r: { roots: [] } } })]);
  });

  it('is masked where its question was not seen, or too many were', async () => {
    const result = { jsonrpc: '2.0', id: 1, result: { action: 'accept', content: { user: 'ada' } } };
    const file = await recorded([toServer(result)]);
    expect(file).not.toContain('ada');
    const redaction = new LineRedaction();
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, { type: 'string' }]));
    redaction.redacted({ message: question(many) });
    redaction.redacted({ message: question({ user: { type: 'string' } }) });
    expect(redaction.redacted({ message: result })).toMatchObject({
      message: { result: { content: { user: '[redacted]' } } },
    });
  });

  it('stays a secret once its field was one', async () => {
    const lines = [question({ word: FIELDS.word }), question({ word: { type: 'string' } })];
    const result = { jsonrpc: '2.0', id: 1, result: { action: 'accept', content: { word: 'w-1' } } };
    expect(await recorded([...lines, result].map(toServer))).not.toContain('w-1');
  });
});

it('what is no secret is kept: tokens of progress, schemas, texts about secrets, deep and large values', async () => {
  let deep: object = { type: 'string' };
  for (let level = 0; level < 40; level += 1) deep = { type: 'object', properties: { password: deep } };
  const messages = [
    request({ _meta: { progressToken: 'progress-1' }, name: 'a' }),
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 7, progress: 1 } },
    { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'login', inputSchema: deep }] } },
    {
      jsonrpc: '2.0',
      id: 1,
      result: { tools: [{ inputSchema: { type: 'object', properties: { token: { $ref: '#/a' } } } }] },
    },
    request({ text: 'A bearer token is needed; basic authentication, too. Mail ada@example.com.' }),
    request({ list: Array.from({ length: 30_000 }, (_, at) => ({ at })) }),
    request({ requestState: 'v1.sealed', cursor: 'next' }),
  ];
  const { lines } = await readAll(await recorded(messages.map(toServer)));
  expect(messagesOf(lines)).toEqual(messages);
});

it('sessions are told apart by a digest', async () => {
  const { lines } = await readAll(
    await recorded(['a', 'b', 'a'].map((session) => ({ kind: 'connected', hop: 'server', session }) as const)),
  );
  const [first, second, third] = lines.map((line) => line['session']);
  expect(first).toMatch(/^[\da-f]{12}$/);
  expect(third).toBe(first);
  expect(second).not.toBe(first);
});

it('secrets that become known later are asked for with each line, and none is written when they cannot be had', async () => {
  const secrets: string[] = [];
  const errors: string[] = [];
  let isBroken = false;
  const lines = function* (): Generator<{ kind: 'note'; text: string }> {
    yield { kind: 'note', text: 'swordfish' };
    secrets.push('swordfish');
    yield { kind: 'note', text: 'swordfish again' };
    isBroken = true;
    yield { kind: 'note', text: 'lost' };
    isBroken = false;
  };
  const given = (): string[] => {
    if (isBroken) throw new Error('no secrets');
    return secrets;
  };
  const file = await recorded(lines() as never, { secrets: given, onerror: ({ message }) => errors.push(message) });
  const read = await readAll(file);
  expect(read.lines.map(({ kind, text }) => text ?? kind)).toEqual(['swordfish', '[redacted] again', 'dropped', 'end']);
  expect(errors).toEqual(['no secrets']);
});
