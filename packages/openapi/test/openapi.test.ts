import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallToolResult, Client, Tool } from 'crosspoint/client';
import { fromOpenApi, OpenApiError, type OpenApiOptions } from '../src/index.ts';
import type { OperationFacts } from '../src/options.ts';
import { McpServer } from 'crosspoint/server';
import { mount } from 'crosspoint/server/mounting';
import { connectLinked } from 'crosspoint/testing';
import { until } from '../../crosspoint/test/until.ts';
import { startApi, type TestApi } from './api.ts';

type Paths = Record<string, Record<string, unknown>>;

const OK = { responses: { 200: { description: 'ok' } } };
const ends: (() => Promise<void>)[] = [];
let api: TestApi;

beforeEach(async () => {
  api = await startApi();
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await api.close();
});

function documentOf(paths: Paths, rest: object = {}): object {
  return { openapi: '3.1.0', info: { title: 'Pets', version: '2.0' }, paths, ...rest };
}

async function clientOf(document: string | object, options: OpenApiOptions = {}): Promise<Client> {
  const server = await fromOpenApi(document, { baseUrl: `${api.url}/v1/`, ...options });
  const { client, close } = await connectLinked(server);
  ends.push(close);
  return client;
}

async function toolsOf(document: object, options: OpenApiOptions = {}): Promise<Tool[]> {
  return (await (await clientOf(document, options)).listTools()).tools;
}

const param = (name: string, where: string, schema: object, more: object = {}): object => ({
  name,
  in: where,
  schema,
  ...(where === 'path' && { required: true }),
  ...more,
});

/** Calls the one operation of a document and gives what the API saw. */
async function sent(path: string, operation: object, args: object, options?: OpenApiOptions): Promise<string> {
  const method = 'requestBody' in operation ? 'post' : 'get';
  const client = await clientOf(
    documentOf({ [path]: { [method]: { operationId: 'op', ...OK, ...operation } } }),
    options,
  );
  const result = await client.callTool({ name: 'op', arguments: { ...args } });
  expect(result.isError, JSON.stringify(result.content)).toBeUndefined();
  return api.seen.at(-1)?.url ?? '';
}

describe('tools of a document', () => {
  it('have a name, a description, a schema and what HTTP promises of the method', async () => {
    const Pet = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } }, required: ['id'] };
    const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
    const tools = await toolsOf(
      documentOf(
        {
          '/pets/{id}': {
            parameters: [param('id', 'path', { type: 'integer' }, { description: 'Which.' })],
            get: {
              operationId: 'get.pet!',
              summary: 'A pet',
              description: 'Gives a pet.',
              responses: { 200: { description: 'ok', ...json({ $ref: '#/components/schemas/Pet' }) } },
            },
            put: { operationId: 'putPet', requestBody: { required: true, ...json(Pet) }, ...OK },
            delete: { ...OK },
          },
          '/pets': { post: { operationId: 'get.pet!2', ...OK }, patch: { operationId: 'get pet 2', ...OK } },
        },
        { components: { schemas: { Pet } } },
      ),
    );
    const [get, put, remove, post, patch] = tools;
    expect(tools.map(({ name }) => name)).toEqual(['get_pet', 'putPet', 'delete_pets_id', 'get_pet_2', 'get_pet_2_2']);
    expect(get).toMatchObject({
      title: 'A pet',
      description: 'Gives a pet.',
      inputSchema: {
        properties: { id: { type: 'integer', description: 'Which.' } },
        required: ['id'],
        additionalProperties: false,
      },
      outputSchema: { type: 'object', $ref: '#/$defs/Pet', $defs: { Pet } },
      annotations: { readOnlyHint: true },
    });
    // The place of the parameter comes first, so the member of the body is told apart.
    expect(put?.inputSchema).toMatchObject({ required: ['id', 'id_body'], properties: { id_body: {}, name: {} } });
    expect(put?.annotations).toMatchObject({ idempotentHint: true, readOnlyHint: false });
    expect(remove?.annotations).toMatchObject({ destructiveHint: true, idempotentHint: true });
    expect([post, patch].map((tool) => tool?.annotations?.readOnlyHint)).toEqual([false, false]);
  });

  it('are chosen by filters, bounded, and told of when they cannot be made', async () => {
    const paths: Paths = {
      '/a': { get: { operationId: 'a', tags: ['x'], ...OK } },
      '/b': { get: { operationId: 'b', tags: ['x', 'y'], ...OK }, post: { operationId: 'c', ...OK } },
      '/upload': {
        post: { operationId: 'up', requestBody: { content: { 'multipart/form-data': { schema: {} } } }, ...OK },
      },
    };
    const names = async (options: OpenApiOptions): Promise<string[]> =>
      (await toolsOf(documentOf(paths), options)).map(({ name }) => name);
    const skipped: [OperationFacts, string][] = [];
    expect(await names({ onskipped: (facts, reason) => skipped.push([facts, reason]) })).toEqual(['a', 'b', 'c']);
    expect(skipped).toMatchObject([
      [{ path: '/upload', method: 'post' }, 'Its body has no supported media type, only multipart/form-data.'],
    ]);
    expect(await names({ include: ['x'] })).toEqual(['a', 'b']);
    expect(await names({ include: ['x'], exclude: ['y'] })).toEqual(['a']);
    expect(await names({ exclude: ['POST /b', 'a'] })).toEqual(['b']);
    expect(await names({ include: ({ method }) => method === 'post' })).toEqual(['c']);
    await expect(fromOpenApi(documentOf(paths), { baseUrl: api.url, limits: { operations: 2 } })).rejects.toThrow(
      'more than 2 operations',
    );
  });

  it('of OpenAPI 3.0 have its words in those of JSON Schema', async () => {
    const document = {
      ...documentOf({
        '/x': {
          get: {
            operationId: 'x',
            parameters: [
              param('n', 'query', { type: 'integer', minimum: 1, exclusiveMinimum: true, nullable: true }),
              param('e', 'query', { type: 'string', enum: ['a'], nullable: true, example: 'a' }),
            ],
            ...OK,
          },
        },
      }),
      openapi: '3.0.3',
    };
    const [tool] = await toolsOf(document);
    expect(tool?.inputSchema['properties']).toEqual({
      n: { type: ['integer', 'null'], exclusiveMinimum: 1 },
      e: { type: ['string', 'null'], enum: ['a', null] },
    });
  });

  it('can be mounted', async () => {
    const server = new McpServer({ name: 'outer', version: '1' });
    mount(
      server,
      'pets',
      await fromOpenApi(documentOf({ '/a': { get: { operationId: 'a', ...OK } } }), { baseUrl: api.url }),
    );
    const { client, close } = await connectLinked(server);
    ends.push(close);
    expect((await client.callTool({ name: 'pets_a' })).isError).toBeUndefined();
    expect(api.seen).toMatchObject([{ method: 'GET', url: '/a' }]);
  });
});

describe('what is sent', () => {
  const numbers = { type: 'array', items: { type: 'integer' } };
  const point = { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'integer' } } };
  const list = [3, 4];
  const object = { x: 1, y: 2 };

  it.each([
    ['simple', { style: 'simple' }, 'a b/c', '/v1/p/a%20b%2Fc'],
    ['a list', {}, list, '/v1/p/3,4'],
    ['an object', {}, object, '/v1/p/x,1,y,2'],
    ['an object, exploded', { explode: true }, object, '/v1/p/x=1,y=2'],
    ['label', { style: 'label' }, 'v', '/v1/p/.v'],
    ['label, exploded', { style: 'label', explode: true }, list, '/v1/p/.3.4'],
    ['matrix', { style: 'matrix' }, list, '/v1/p/;q=3,4'],
    ['matrix, exploded', { style: 'matrix', explode: true }, list, '/v1/p/;q=3;q=4'],
    ['matrix of an object, exploded', { style: 'matrix', explode: true }, object, '/v1/p/;x=1;y=2'],
  ])('in the path: %s', async (_name, more, value, expected) => {
    const schema = Array.isArray(value) ? numbers : typeof value === 'object' ? point : { type: 'string' };
    expect(await sent('/p/{q}', { parameters: [param('q', 'path', schema, more)] }, { q: value })).toBe(expected);
  });

  it.each([
    ['form', {}, 'a&b=c', 'q=a%26b%3Dc'],
    ['a list', {}, list, 'q=3&q=4'],
    ['a list, not exploded', { explode: false }, list, 'q=3,4'],
    ['spaceDelimited', { style: 'spaceDelimited', explode: false }, list, 'q=3%204'],
    ['pipeDelimited', { style: 'pipeDelimited', explode: false }, list, 'q=3%7C4'],
    ['an object', {}, object, 'x=1&y=2'],
    ['an object, not exploded', { explode: false }, object, 'q=x,1,y,2'],
    ['deepObject', { style: 'deepObject', explode: true }, object, 'q%5Bx%5D=1&q%5By%5D=2'],
  ])('in the query: %s', async (_name, more, value, expected) => {
    const schema = Array.isArray(value) ? numbers : typeof value === 'object' ? point : { type: 'string' };
    expect(await sent('/p', { parameters: [param('q', 'query', schema, more)] }, { q: value })).toBe(
      `/v1/p?${expected}`,
    );
  });

  it('as JSON in the query, in headers and in cookies', async () => {
    const parameters = [
      { name: 'filter', in: 'query', content: { 'application/json': { schema: point } } },
      param('X-Ids', 'header', numbers),
      param('sid', 'cookie', { type: 'string' }),
      param('Authorization', 'header', { type: 'string' }),
    ];
    const url = await sent(
      '/p',
      { parameters },
      { filter: object, 'X-Ids': list, sid: 'a;b' },
      { headers: async () => ({ Authorization: 'Bearer secret', Cookie: 'own=1' }) },
    );
    expect(url).toBe(`/v1/p?filter=${encodeURIComponent(JSON.stringify(object))}`);
    expect(api.seen.at(-1)?.headers).toMatchObject({
      'x-ids': '3,4',
      cookie: 'own=1; sid=a%3Bb',
      authorization: 'Bearer secret',
    });
  });

  it('as a body: members among the others, or as a whole', async () => {
    const body = (type: string, schema: object, required = true): object => ({
      requestBody: { required, content: { [type]: { schema } } },
    });
    await sent('/p', body('application/json', { ...point, required: ['x'] }), object);
    expect(api.seen.at(-1)).toMatchObject({
      method: 'POST',
      body: JSON.stringify(object),
      headers: { 'content-type': 'application/json' },
    });
    await sent('/p', body('application/vnd.x+json', numbers), { body: list });
    expect(api.seen.at(-1)?.body).toBe('[3,4]');
    await sent('/p', body('application/json', point, false), {});
    expect(api.seen.at(-1)?.body).toBe('');
    await sent('/p', body('application/x-www-form-urlencoded', point), { x: 1 });
    expect(api.seen.at(-1)?.body).toBe('x=1');
    await sent('/p', body('text/plain', { type: 'string' }), { body: 'hello' });
    expect(api.seen.at(-1)?.body).toBe('hello');
  });

  it.each(['..', '.', '', '%2e%2e/../x', '../admin', 'a/../../admin', '\\..\\x', 'x?admin=1#'])(
    'cannot leave its place in the path: %j',
    async (id) => {
      const client = await clientOf(
        documentOf({
          '/users/{id}/name': {
            get: { operationId: 'op', parameters: [param('id', 'path', { type: 'string' })], ...OK },
          },
        }),
      );
      const result = await client.callTool({ name: 'op', arguments: { id } });
      if (result.isError === true) expect(api.seen).toEqual([]);
      else expect(api.seen[0]?.url).toBe(`/v1/users/${encodeURIComponent(id)}/name`);
      expect(['..', '.', ''].includes(id)).toBe(result.isError === true);
    },
  );

  it.each(['a\r\nX-Admin: 1', 'a\nb', 'a\u0000b', 'ü'])('cannot end a header: %j', async (value) => {
    const client = await clientOf(
      documentOf({
        '/p': { get: { operationId: 'op', parameters: [param('X-Name', 'header', { type: 'string' })], ...OK } },
      }),
    );
    const result = await client.callTool({ name: 'op', arguments: { 'X-Name': value } });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('is sent as a header') as string }],
    });
    expect(api.seen).toEqual([]);
  });

  it('does not hold what the schema refuses', async () => {
    const client = await clientOf(
      documentOf({
        '/p': { get: { operationId: 'op', parameters: [param('n', 'query', { type: 'integer' })], ...OK } },
      }),
    );
    expect((await client.callTool({ name: 'op', arguments: { n: 'x' } })).isError).toBe(true);
    expect((await client.callTool({ name: 'op', arguments: { unknown: 1 } })).isError).toBe(true);
    expect(api.seen).toEqual([]);
  });
});

describe('what comes back', () => {
  const OBJECT = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const document = documentOf({
    '/p': {
      get: {
        operationId: 'op',
        responses: { 200: { description: 'ok', content: { 'application/json': { schema: OBJECT } } } },
      },
    },
    '/raw': { get: { operationId: 'raw', ...OK } },
  });

  async function answered(
    name: string,
    [status, type, body]: readonly [number, string, string | Uint8Array],
    options?: OpenApiOptions,
  ): Promise<CallToolResult> {
    api.answer = (_seen, response) => void response.writeHead(status, { 'content-type': type }).end(body);
    return (await clientOf(document, options)).callTool({ name });
  }

  it('is structured where the document says so, and held against it', async () => {
    expect(await answered('op', [200, 'application/json', '{"n":1}'])).toMatchObject({
      structuredContent: { n: 1 },
      content: [{ type: 'text', text: '{"n":1}' }],
    });
    expect((await answered('op', [200, 'application/json', '{"n":"x"}'])).isError).toBe(true);
    expect(await answered('op', [200, 'application/json', '{"n":"x"}'], { outputSchemas: false })).toMatchObject({
      content: [{ text: '{"n":"x"}' }],
    });
  });

  it('is text, an image, audio or a resource otherwise', async () => {
    const bytes = Buffer.from([1, 2, 255]);
    expect((await answered('raw', [200, 'text/html; charset=utf-8', '<p>'])).content).toEqual([
      { type: 'text', text: '<p>' },
    ]);
    expect((await answered('raw', [200, 'image/png', bytes])).content).toEqual([
      { type: 'image', mimeType: 'image/png', data: bytes.toString('base64') },
    ]);
    expect((await answered('raw', [200, 'audio/wav', bytes])).content).toMatchObject([{ type: 'audio' }]);
    expect((await answered('raw', [200, 'application/pdf', bytes])).content).toMatchObject([
      { type: 'resource', resource: { mimeType: 'application/pdf', blob: bytes.toString('base64') } },
    ]);
    expect((await answered('raw', [204, 'text/plain', ''])).content).toMatchObject([
      { text: 'HTTP 204, without content.' },
    ]);
  });

  it('is an error of the tool where it is one of the API, bounded and without secrets', async () => {
    const body = JSON.stringify({ error: 'no', token: 'abcdefgh12345678', more: 'x'.repeat(10_000) });
    const result = await answered('op', [418, 'application/json', body]);
    expect(result.isError).toBe(true);
    const [block] = result.content;
    const words = block?.type === 'text' ? block.text : '';
    expect(words).toMatch(/^HTTP 418\n\{"error":"no"/);
    expect(words).not.toContain('abcdefgh12345678');
    expect(words.length).toBeLessThan(5000);
  });

  it('is not taken beyond the limit, nor waited for for ever', async () => {
    const large = await answered('raw', [200, 'text/plain', 'x'.repeat(5000)], { limits: { responseBytes: 1000 } });
    expect(large).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('larger than 1000 bytes') as string }],
    });
    api.answer = () => {};
    const client = await clientOf(document, { limits: { timeoutMs: 50 } });
    const late = await client.callTool({ name: 'raw' });
    expect(late).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('took too long') as string }],
    });
  });

  it('tells callers nothing of what the program keeps to itself', async () => {
    const problems: string[] = [];
    const client = await clientOf(document, {
      headers: () => Promise.reject(new Error('The vault refused hunter2.')),
      onproblem: (problem, { path }) => problems.push(`${path}: ${problem.message}`),
    });
    expect(await client.callTool({ name: 'raw' })).toMatchObject({
      isError: true,
      content: [{ text: 'The API could not be asked.' }],
    });
    expect(problems).toEqual(['/raw: The vault refused hunter2.']);
  });

  it('is not followed elsewhere', async () => {
    api.answer = (_seen, response) => void response.writeHead(302, { location: `${api.url}/elsewhere` }).end();
    const result = await (await clientOf(document)).callTool({ name: 'raw' });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('redirected') as string }],
    });
    expect(api.seen).toHaveLength(1);
  });

  it('is given up when the call is cancelled', async () => {
    const closed: boolean[] = [];
    api.answer = (_seen, response) => void response.on('close', () => closed.push(true));
    const client = await clientOf(document);
    const abort = new AbortController();
    const called = client.callTool({ name: 'raw' }, { signal: abort.signal });
    called.catch(() => {});
    await until(() => api.seen.length === 1);
    abort.abort();
    await until(() => closed.length === 1);
    await expect(called).rejects.toThrow();
  });
});

describe('a document that is hostile', () => {
  const refused = (document: string | object, options: OpenApiOptions = {}): Promise<unknown> =>
    fromOpenApi(document, { baseUrl: api.url, ...options }).then(
      () => 'taken',
      (error: unknown) => error,
    );

  it.each([
    ['no JSON', 'openapi: 3.1.0'],
    ['an older one', { swagger: '2.0', info: { title: 'x', version: '1' }, paths: {} }],
    ['a list', []],
    ['without paths that are an object', { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: 7 }],
    ['without info', { openapi: '3.1.0', paths: {} }],
  ])('is refused: %s', async (_name, document) => {
    expect(await refused(document)).toBeInstanceOf(OpenApiError);
  });

  it.each(['http://127.0.0.1:9/x.json', 'file:///etc/passwd', '../secrets.json', 'https://example.com/a#/b'])(
    'does not have anything loaded: %s',
    async ($ref) => {
      const error = await refused(documentOf({ '/a': { get: { ...OK, parameters: [{ $ref }] } } }));
      expect(error).toBeInstanceOf(OpenApiError);
      expect(String(error)).toContain('outside of it');
    },
  );

  it('has files loaded only when that is allowed, and over HTTP nothing of this machine', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crosspoint-openapi-'));
    ends.push(async () => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'schema.json'), '{"type":"integer"}');
    const referring = ($ref: string): object =>
      documentOf({ '/a': { get: { operationId: 'a', parameters: [param('n', 'query', { $ref })], ...OK } } });
    const file = referring(pathToFileURL(join(folder, 'schema.json')).href);
    expect(await refused(file)).toBeInstanceOf(OpenApiError);
    expect(await refused(file, { externalRefs: { http: true } })).toBeInstanceOf(OpenApiError);
    const [tool] = await toolsOf(file, { externalRefs: { files: true } });
    expect(tool?.inputSchema['properties']).toEqual({ n: { type: 'integer' } });
    const remote = referring(`${api.url}/schema.json`);
    expect(await refused(remote, { externalRefs: { files: true } })).toBeInstanceOf(OpenApiError);
    expect(await refused(remote, { externalRefs: { http: true } })).toBeInstanceOf(OpenApiError);
    expect(api.seen).toEqual([]);
  });

  it('is bounded in size and depth', async () => {
    const large = documentOf({}, { 'x-large': 'x'.repeat(10_000) });
    expect(String(await refused(large, { limits: { documentBytes: 5000 } }))).toContain('larger than 5000 bytes');
    let deep: unknown = {};
    for (let level = 0; level < 200; level += 1) deep = { not: deep };
    expect(String(await refused(documentOf({}, { components: { schemas: { deep } } })))).toContain(
      'nested deeper than 100',
    );
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(await refused(documentOf({}, circle))).toBeInstanceOf(OpenApiError);
  });

  it('may run in circles, which cost nothing', async () => {
    const Node = {
      type: 'object',
      properties: { next: { $ref: '#/components/schemas/Node' }, v: { type: 'integer' } },
    };
    const document = documentOf(
      {
        '/n': {
          get: {
            operationId: 'n',
            parameters: [param('node', 'query', { $ref: '#/components/schemas/Node' }, { style: 'deepObject' })],
            ...OK,
          },
        },
        '/loop': { get: { operationId: 'loop', parameters: [{ $ref: '#/components/parameters/a' }], ...OK } },
      },
      {
        components: {
          schemas: { Node },
          parameters: { a: { name: 'a', in: 'query', schema: { $ref: '#/components/schemas/Node' } } },
        },
      },
    );
    const client = await clientOf(document);
    const { tools } = await client.listTools();
    expect(tools[0]?.inputSchema).toMatchObject({
      $defs: { Node: { properties: { next: { $ref: '#/$defs/Node' } } } },
    });
    expect((await client.callTool({ name: 'n', arguments: { node: { v: 1, next: { v: 'x' } } } })).isError).toBe(true);
    expect((await client.callTool({ name: 'n', arguments: { node: { v: 1 } } })).isError).toBeUndefined();
  });

  it('cannot grow without end by referring to itself twice, again and again', async () => {
    const schemas: Record<string, unknown> = { s0: { type: 'string' } };
    for (let level = 1; level <= 40; level += 1) {
      const $ref = `#/components/schemas/s${level - 1}`;
      schemas[`s${level}`] = { type: 'object', properties: { a: { $ref }, b: { $ref }, c: { $ref } } };
    }
    const body = { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/s40' } } } };
    const [tool] = await toolsOf(
      documentOf({ '/x': { post: { operationId: 'x', requestBody: body, ...OK } } }, { components: { schemas } }),
    );
    expect(JSON.stringify(tool).length).toBeLessThan(10_000);
  });

  it('cannot have thousands of operations read that are too large, one after the other', async () => {
    const skipped: string[] = [];
    const options: OpenApiOptions = {
      limits: { operations: 2, schemaValues: 50 },
      onskipped: ({ path }) => skipped.push(path),
    };
    const large = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`p${n}`, {}])),
    };
    const get = (schema: object): object => ({ get: { parameters: [param('q', 'query', schema)], ...OK } });
    const paths = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`/large${n}`, get(large)]));
    const tools = await toolsOf(documentOf({ ...paths, '/fine': get({ type: 'string' }) } as never), options);
    // The room of the two operations, twice over, went into those that were given up.
    expect(tools).toEqual([]);
    expect(skipped).toHaveLength(11);
  });

  it('has only the tools whose schemas are within the limit, and valid', async () => {
    const skipped: string[] = [];
    const options: OpenApiOptions = { limits: { schemaValues: 50 }, onskipped: ({ path }) => skipped.push(path) };
    const many = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, {}])),
    };
    const get = (schema: object): Record<string, unknown> => ({
      get: { parameters: [param('q', 'query', schema)], ...OK },
    });
    const tools = await toolsOf(
      documentOf({
        '/fine': get({ type: 'string' }),
        '/large': get(many),
        '/enum': get({ enum: ['x'.repeat(10_000)] }),
        '/nowhere': get({ $ref: '#/components/schemas/none' }),
        '/broken': get({ type: 'no-such-type' }),
      }),
      options,
    );
    expect(tools.map(({ name }) => name)).toEqual(['get_fine']);
    expect(skipped).toEqual(['/large', '/enum', '/nowhere', '/broken']);
  });

  it('has no tool for a chain of references without end', async () => {
    const schemas: Record<string, unknown> = {};
    for (let n = 0; n < 2000; n += 1) schemas[`s${n}`] = { not: { $ref: `#/components/schemas/s${n + 1}` } };
    const skipped: string[] = [];
    const parameters = [param('q', 'query', { $ref: '#/components/schemas/s0' })];
    const document = documentOf({ '/chain': { get: { parameters, ...OK } } }, { components: { schemas } });
    expect(await toolsOf(document, { onskipped: (_facts, reason) => skipped.push(reason) })).toEqual([]);
    expect(skipped).toEqual(['Its schemas refer to each other in too long a chain.']);
  });

  it('cannot send requests to this machine or into a private network', async () => {
    const paths: Paths = { '/a': { get: { operationId: 'a', ...OK } } };
    for (const url of [api.url, 'http://169.254.169.254/latest', 'https://10.0.0.1', 'http://example.com']) {
      const server = await fromOpenApi(documentOf(paths, { servers: [{ url }] }));
      const { client, close } = await connectLinked(server);
      ends.push(close);
      expect((await client.callTool({ name: 'a' })).isError, url).toBe(true);
    }
    expect(api.seen).toEqual([]);
    const allowed = await fromOpenApi(
      documentOf(paths, { servers: [{ url: '{origin}', variables: { origin: { default: api.url } } }] }),
      {
        outbound: { loopback: true },
      },
    );
    const { client, close } = await connectLinked(allowed);
    ends.push(close);
    expect((await client.callTool({ name: 'a' })).isError).toBeUndefined();
    expect(api.seen).toHaveLength(1);
  });

  it('needs an address of its API that has no credentials in it', async () => {
    const paths: Paths = { '/a': { get: { operationId: 'a', ...OK } } };
    await expect(fromOpenApi(documentOf(paths))).rejects.toThrow('give a baseUrl');
    await expect(fromOpenApi(documentOf(paths, { servers: [{ url: '/v1' }] }))).rejects.toThrow('give a baseUrl');
    await expect(fromOpenApi(documentOf(paths), { baseUrl: 'https://u:p@example.com' })).rejects.toThrow('credentials');
    await expect(fromOpenApi(documentOf(paths), { baseUrl: 'file:///x' })).rejects.toThrow('http or https');
  });

  it('cannot name members that objects have already', async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    ) as object;
    const body = { required: true, content: { 'application/json': { schema } } };
    const document = JSON.stringify(documentOf({ '/x': { post: { operationId: 'x', requestBody: body, ...OK } } }));
    const client = await clientOf(document);
    const result = await client.callTool({ name: 'x', arguments: { constructor: 'c' } as never });
    expect(result.isError).toBeUndefined();
    expect(JSON.parse(api.seen[0]?.body ?? '')).toEqual({ constructor: 'c' });
  });
});
