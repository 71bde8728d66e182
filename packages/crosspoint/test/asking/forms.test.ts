import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { describeUrl, formFault, readForm } from '../../src/client/index.ts';
import { formDefaults } from '../../src/protocol/elicitation/form-fields.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { formSchema } from '../../src/protocol/elicitation/elicitation-form.ts';
import { prepareSchema } from '../../src/schema/index.ts';
import { proves } from '../requirements/proves.ts';
import {
  bothFamilies,
  everyAsking,
  linked,
  newestHandshake,
  said,
  serverOf,
  stateless,
  type Handler,
} from './linked.ts';

const COLOURS = [
  { value: 'r', label: 'Red' },
  { value: 'g', label: 'Green' },
];
const PLAIN = [
  { value: 'r', label: 'r' },
  { value: 'g', label: 'g' },
];
const titled = [
  { const: 'r', title: 'Red' },
  { const: 'g', title: 'Green' },
];

/** Every shape a form can have, and what it means. */
const SHAPES: [string, JsonObject, object][] = [
  [
    'text',
    { type: 'string', title: 'T', description: 'D', minLength: 1, maxLength: 9, format: 'email', default: 'a@b.c' },
    { kind: 'text', label: 'T', description: 'D', minLength: 1, maxLength: 9, format: 'email', default: 'a@b.c' },
  ],
  ['text with a pattern', { type: 'string', pattern: '^a' }, { kind: 'text', pattern: '^a' }],
  [
    'a number',
    { type: 'number', minimum: 0.5, maximum: 2, default: 1.5 },
    { kind: 'number', minimum: 0.5, maximum: 2, default: 1.5 },
  ],
  ['a whole number', { type: 'integer', minimum: 1 }, { kind: 'integer', minimum: 1 }],
  ['yes or no', { type: 'boolean', default: true }, { kind: 'boolean', default: true }],
  ['a choice', { type: 'string', enum: ['r', 'g'], default: 'g' }, { kind: 'choice', options: PLAIN, default: 'g' }],
  [
    'a titled choice',
    { type: 'string', oneOf: titled, default: 'r' },
    { kind: 'choice', options: COLOURS, default: 'r' },
  ],
  [
    'a choice in the older spelling',
    { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
    { kind: 'choice', options: COLOURS },
  ],
  [
    'several choices',
    { type: 'array', items: { type: 'string', enum: ['r', 'g'] }, minItems: 1, maxItems: 2, default: ['r'] },
    { kind: 'choices', options: PLAIN, minItems: 1, maxItems: 2, default: ['r'] },
  ],
  ['several titled choices', { type: 'array', items: { anyOf: titled } }, { kind: 'choices', options: COLOURS }],
];

describe('readForm', () => {
  proves('M-ELI-013, L-ELICITATION-010, L-ELICITATION-011, L-ELICITATION-012, L-ELICITATION-013').it.each(SHAPES)(
    'reads %s',
    (_what, field, expected) => {
      expect(
        readForm({ type: 'object', properties: { f: field, g: { type: 'boolean' } }, required: ['f'] })[0],
      ).toEqual({ name: 'f', label: 'f', required: true, ...expected });
    },
  );

  it('refuses what is no form', () => {
    for (const schema of [
      {},
      null,
      { type: 'object' },
      { type: 'string' },
      { type: 'object', properties: { f: 1 } },
      { type: 'object', properties: { f: { type: 'object' } } },
      { type: 'object', properties: { f: { type: 'array', items: { type: 'string' } } } },
      { type: 'object', properties: { f: { type: 'string', oneOf: [{ const: 1 }] } } },
    ]) {
      expect(() => readForm(schema)).toThrow('cannot be shown');
    }
  });

  it('gives the defaults', () => {
    expect(
      formDefaults({ type: 'object', properties: Object.fromEntries(SHAPES.map(([name, field]) => [name, field])) }),
    ).toEqual({
      text: 'a@b.c',
      'a number': 1.5,
      'yes or no': true,
      'a choice': 'g',
      'a titled choice': 'r',
      'several choices': ['r'],
    });
  });
});

proves('M-ELI-012, L-ELICITATION-009').describe('formSchema', () => {
  const form = (properties: JsonObject, more: JsonObject = {}): JsonObject =>
    formSchema({ type: 'object', properties, ...more });

  it.each(SHAPES)('keeps %s', (_what, field) => {
    const { pattern: _dropped, ...kept } = field;
    expect(form({ f: field })['properties']).toEqual({ f: kept });
  });

  it('takes what schema libraries write', () => {
    const zod = z.object({
      name: z.string().min(2).optional(),
      age: z.number().int().min(0).max(150),
      when: z.iso.date(),
      site: z.url(),
      colour: z.enum(['r', 'g']),
      several: z.array(z.enum(['r', 'g'])).max(2),
      either: z.union([z.literal('a'), z.literal('b')]),
      only: z.literal('yes'),
      ok: z.boolean().default(false),
    });
    const written = formSchema(prepareSchema(zod, 'input').json);
    expect(written).toMatchObject({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 2 },
        age: { type: 'integer', minimum: 0, maximum: 150 },
        when: { type: 'string', format: 'date' },
        site: { type: 'string', format: 'uri' },
        colour: { type: 'string', enum: ['r', 'g'] },
        several: { type: 'array', maxItems: 2, items: { type: 'string', enum: ['r', 'g'] } },
        only: { type: 'string', enum: ['yes'] },
        ok: { type: 'boolean', default: false },
      },
      required: ['age', 'when', 'site', 'colour', 'several', 'either', 'only'],
    });
    expect(readForm(written)).toHaveLength(9);
    expect(JSON.stringify(written)).not.toMatch(/pattern|\$schema|additionalProperties/);
  });

  it('refuses what is nested or a list of anything', () => {
    for (const field of [
      { type: 'object', properties: {} },
      { type: 'array', items: { type: 'object' } },
      { type: 'array', items: { type: 'string' } },
      { type: 'array' },
      { type: 'null' },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { $ref: '#/x' },
      {},
      { type: ['string', 'null'] },
      { type: 'string', enum: [] },
      { type: 'array', items: { anyOf: [] } },
    ]) {
      expect(() => form({ f: field })).toThrow(TypeError);
    }
    for (const schema of [undefined, {}, { type: 'array' }, { type: 'object' }])
      expect(() => formSchema(schema)).toThrow(TypeError);
  });

  test.each([
    'password',
    'newPassword',
    'password_confirmation',
    'passwordAgain',
    'apiKey',
    'api_key',
    'OPENAI_API_KEY',
    'access_token',
    'token',
    'clientSecret',
    'secret',
    'secretKey',
    'pin',
    'cardPin',
    'cvv',
    'card_number',
    'creditCard',
    'credit card number',
    'ssn',
    'otp',
    'privateKey',
    'passphrase',
    'passcode',
  ])('refuses to ask for "%s" and points to URL mode', (name) => {
    expect(() => form({ [name]: { type: 'string' } })).toThrow(/looks like a secret.*use URL mode/);
  });

  test.each([
    'name',
    'email',
    'username',
    'tokens',
    'max_tokens',
    'tokenCount',
    'pinned',
    'pinterest',
    'shipping',
    'secretary',
    'keyboard',
    'passport_country',
    'description',
    'cardinality',
    'spinning',
  ])('asks for "%s"', (name) => {
    expect(form({ [name]: { type: 'string' } })['properties']).toHaveProperty(name);
  });

  it('judges the title and the format too, and lets be what cannot hold a secret', () => {
    expect(() => form({ f: { type: 'string', title: 'Your password' } })).toThrow('URL mode');
    expect(() => form({ f: { type: 'string', format: 'password' } })).toThrow('URL mode');
    expect(form({ secret: { type: 'boolean' }, token: { type: 'string', enum: ['a'] } })['properties']).toHaveProperty(
      'secret',
    );
  });
});

proves('M-ELI-010, L-ELICITATION-005, L-ELICITATION-006, L-ELICITATION-008').describe('what is sent', () => {
  it.each(everyAsking)('has a message, a mode and a form, in the words of %s', async (revision) => {
    const seen: JsonObject[] = [];
    const server = serverOf(async (ctx) =>
      said(JSON.stringify(await ctx.elicit({ message: 'm', schema: z.object({ c: z.enum(['r', 'g']) }) }))),
    );
    const { client } = await linked(server, revision, {
      answer: (_message, params) => (seen.push(params as never), { action: 'accept', content: { c: 'r' } }),
    });
    expect((await client.callTool({ name: 't' })).content).toEqual([
      { type: 'text', text: '{"action":"accept","content":{"c":"r"}}' },
    ]);
    expect(seen).toEqual([
      expect.objectContaining({
        message: 'm',
        requestedSchema: { type: 'object', properties: { c: { type: 'string', enum: ['r', 'g'] } }, required: ['c'] },
      }),
    ]);
    expect([undefined, 'form']).toContain(seen[0]?.['mode']);
  });

  const BAD: [string, Handler, RegExp][] = [
    ['no message', (ctx) => ctx.elicit({ message: '', schema: z.object({}) }), /message/],
    ['another mode', (ctx) => ctx.elicit({ message: 'm', mode: 'video' } as never), /mode/],
    [
      'an address that is none',
      (ctx) => ctx.elicit({ mode: 'url', message: 'm', url: 'not a url' }),
      /an absolute address/,
    ],
    [
      'credentials in the address',
      (ctx) => ctx.elicit({ mode: 'url', message: 'm', url: 'https://user:pw@a.example/' }),
      /must not hold credentials/,
    ],
    ['a nested form', (ctx) => ctx.elicit({ message: 'm', schema: z.object({ o: z.object({}) }) }), /nested/],
    [
      'a hand-written form with a secret',
      (ctx) =>
        ctx.sendRequest({
          method: 'elicitation/create',
          params: { message: 'm', requestedSchema: { type: 'object', properties: { password: { type: 'string' } } } },
        }),
      /URL mode/,
    ],
  ];
  proves('M-ELI-015, L-ELICITATION-033').it.each(BAD)(
    '%s is a mistake that is told at once',
    async (_what, handler, expected) => {
      for (const revision of bothFamilies) {
        const { client, asked } = await linked(serverOf(handler), revision);
        const result = await client.callTool({ name: 't' });
        expect(result).toMatchObject({ isError: true });
        expect(JSON.stringify(result.content)).toMatch(expected);
        expect(asked).toEqual([]);
      }
    },
  );

  proves('L-ELICITATION-032, L-ELICITATION-034').it(
    `by URL has an id of its own in ${newestHandshake.id}, and none in ${stateless.id}`,
    async () => {
      const seen: JsonObject[] = [];
      const server = serverOf(async (ctx) =>
        said((await ctx.elicit({ mode: 'url', message: 'm', url: 'https://a.example/x' })).action),
      );
      for (const revision of [newestHandshake.id, newestHandshake.id, stateless.id]) {
        const { client } = await linked(server, revision, {
          answer: (_message, params) => (seen.push(params as never), { action: 'accept' }),
        });
        expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: 'accept' }]);
      }
      const [one, two, three] = seen;
      expect(one).toEqual({
        mode: 'url',
        message: 'm',
        url: 'https://a.example/x',
        elicitationId: expect.any(String) as string,
      });
      expect(two?.['elicitationId']).not.toBe(one?.['elicitationId']);
      expect(three).toEqual({ mode: 'url', message: 'm', url: 'https://a.example/x' });
    },
  );
});

it('a form is asked with its mode by elicit, and as the program wrote it by sendRequest', async () => {
  const requestedSchema = { type: 'object' as const, properties: { value: { type: 'string' as const } } };
  const modes: unknown[] = [];
  for (const revision of bothFamilies) {
    const server = serverOf(async (ctx) => {
      await ctx.elicit({ message: 'one', requestedSchema });
      await ctx.sendRequest({ method: 'elicitation/create', params: { message: 'two', requestedSchema } });
      return said('asked');
    });
    const { client } = await linked(server, revision, {
      answer: (message, params) => (modes.push([message, params.mode]), { action: 'decline' }),
    });
    await client.callTool({ name: 't' });
  }
  expect(modes).toEqual([
    ['one', 'form'],
    ['two', undefined],
    ['one', 'form'],
    ['two', undefined],
  ]);
});

describe('what the user typed', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, default: 'Ann' },
      mail: { type: 'string', format: 'email' },
      age: { type: 'integer', default: 30 },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    },
    required: ['name', 'mail'],
  };
  const server = () =>
    serverOf(async (ctx) => said(JSON.stringify(await ctx.elicit({ message: 'm', requestedSchema: schema }))));

  proves('M-ELI-017, L-ELICITATION-019, L-ELICITATION-016').it.each(bothFamilies)(
    'is held against the form before it is sent (%s)',
    async (revision) => {
      const problems: Error[] = [];
      const tried = async (answer: JsonObject): Promise<string> => {
        const { client } = await linked(server(), revision, {
          answer: () => answer,
          onproblem: (problem) => problems.push(problem),
        });
        const outcome = await client.callTool({ name: 't' }).then(
          (result) => (result.content[0] as { text: string }).text,
          (error: unknown) => (error as Error).message,
        );
        await client.close();
        return outcome;
      };
      expect(await tried({ action: 'accept', content: { name: 'Bo', mail: 'b@o.example', tags: ['a', 'b'] } })).toBe(
        '{"action":"accept","content":{"name":"Bo","mail":"b@o.example","tags":["a","b"]}}',
      );
      expect(problems).toEqual([]);
      for (const content of [
        {},
        { name: 'Bo' },
        { name: 'B', mail: 'b@o.example' },
        { name: 'Bo', mail: 'no mail' },
        { name: 'Bo', mail: 'b@o.example', age: 1.5 },
        { name: 'Bo', mail: 'b@o.example', tags: ['c'] },
      ]) {
        const outcome = await tried({ action: 'accept', content });
        // The author of the handler is told, not the server.
        expect(revision === stateless.id ? outcome : problems.at(-1)?.message).toContain('was not sent');
      }
      for (const answer of [{ action: 'yes' }, {}, { action: 'accept', content: 'text' }]) {
        const outcome = await tried(answer as JsonObject);
        expect(revision === stateless.id ? outcome : problems.at(-1)?.message).toContain('was not sent');
      }
    },
  );

  proves('L-ELICITATION-017, L-ELICITATION-036, M-ELI-024').it.each(bothFamilies)(
    'is left out of whatever is no accepted form (%s)',
    async (revision) => {
      for (const answer of [
        { action: 'decline', content: { name: 'x' } },
        { action: 'cancel', content: { name: 'x' } },
      ]) {
        const { client } = await linked(server(), revision, { answer: () => answer });
        expect((await client.callTool({ name: 't' })).content).toEqual([
          { type: 'text', text: JSON.stringify({ action: answer.action }) },
        ]);
      }
      const page = serverOf(async (ctx) =>
        said(JSON.stringify(await ctx.elicit({ mode: 'url', message: 'm', url: 'https://a.example/' }))),
      );
      const { client } = await linked(page, revision, {
        answer: () => ({ action: 'accept', content: { code: 'stolen' } }),
      });
      expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: '{"action":"accept"}' }]);
    },
  );

  it.each(bothFamilies)('is completed by the defaults where the client said so (%s)', async (revision) => {
    const { client } = await linked(server(), revision, {
      capabilities: { elicitation: { form: { applyDefaults: true } } },
      answer: () => ({ action: 'accept', content: { mail: 'b@o.example', age: 4 } }),
    });
    expect((await client.callTool({ name: 't' })).content).toEqual([
      { type: 'text', text: '{"action":"accept","content":{"name":"Ann","age":4,"mail":"b@o.example"}}' },
    ]);
  });

  it('can be checked while it is typed', () => {
    expect(formFault(schema, { name: 'Bo', mail: 'b@o.example' })).toBeUndefined();
    expect(formFault(schema, { name: 'B', mail: 'b@o.example' })).toContain('name');
    expect(() => formFault({ type: 'nonsense' }, {})).toThrow('cannot be shown');
  });
});

proves('M-ELI-031, L-ELICITATION-057').describe('describeUrl', () => {
  it.each([
    ['https://example.com/login?x=1', 'example.com', []],
    ['http://example.com/', 'example.com', ['insecure']],
    ['https://xn--pple-43d.com/', 'xn--pple-43d.com', ['punycode']],
    ['https://аpple.com/', 'xn--pple-43d.com', ['punycode']],
    ['https://login.xn--80ak6aa92e.com:8443/', 'login.xn--80ak6aa92e.com:8443', ['punycode', 'port']],
    ['https://example.com@evil.example/', 'evil.example', ['credentials']],
    ['https://example.com:pw@evil.example/', 'evil.example', ['credentials']],
    ['https://192.0.2.1/', '192.0.2.1', ['ip-address']],
    ['https://[2001:db8::1]/', '[2001:db8::1]', ['ip-address']],
    ['http://0x7f.1/', '127.0.0.1', ['loopback']],
    ['http://localhost:3000/cb', 'localhost:3000', ['loopback']],
    ['https://example.com\\@evil.example/', 'example.com', []],
  ])('names the host of %s', (url, host, warnings) => {
    expect(describeUrl(url)).toMatchObject({ host, warnings, openable: true, url: new URL(url).href });
  });

  it('knows what is no page', () => {
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'vscode://x', 'ssh://host/'])
      expect(describeUrl(url)).toMatchObject({
        openable: false,
        warnings: expect.arrayContaining(['scheme']) as string[],
      });
    expect(() => describeUrl('/relative')).toThrow(TypeError);
  });

  it.each(bothFamilies)(
    'and nothing is fetched, nor is a handler called for what cannot be opened (%s)',
    async (revision) => {
      const fetched: unknown[] = [];
      const { fetch } = globalThis;
      globalThis.fetch = (async (...args: unknown[]) => (fetched.push(args), new Response())) as typeof fetch;
      try {
        for (const [url, calls] of [
          ['https://a.example/x', 1],
          ['javascript:alert(1)', 0],
          ['file:///etc/passwd', 0],
        ] as const) {
          const { client, asked } = await linked(
            serverOf((ctx) => ctx.elicit({ mode: 'url', message: 'm', url })),
            revision,
            { answer: () => ({ action: 'decline' }) },
          );
          await client.callTool({ name: 't' }).catch(() => {});
          expect(asked).toHaveLength(calls);
        }
      } finally {
        globalThis.fetch = fetch;
      }
      expect(fetched).toEqual([]);
    },
  );
});
