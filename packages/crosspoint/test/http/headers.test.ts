import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { mirroredText, mirrors, readMirroredParams, type MirroredParam } from '../../src/protocol/mirrored-params.ts';
import { readHeaderValue, writeHeaderValue } from '../../src/wire/header-value.ts';
import { proves } from '../requirements/proves.ts';
import { NEWEST, META, closeAll, send, serve, stateless } from './serving.ts';

afterEach(closeAll);

const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
const region = (args: object, headers: Record<string, string>) =>
  stateless('tools/call', { name: 'region', arguments: args }, { headers });

describe('headers against the body', () => {
  proves('M-HDR-005, M-HDR-033, M-HDR-039').test.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])(
    'a request without %s is refused with 400 and -32020',
    async (header) => {
      const at = await serve();
      const sent = stateless('tools/call', { name: 'echo', arguments: { text: 'x' } });
      const headers = { ...sent.headers };
      delete headers[header];
      const answer = await send(at, { ...sent, headers });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32020 } });
    },
  );

  proves('M-HDR-003, M-HDR-027, M-HDR-033, M-HDR-038, M-HDR-039, M-HDR-044').test.each([
    ['mcp-protocol-version', '2025-11-25'],
    ['mcp-method', 'tools/list'],
    ['mcp-method', 'TOOLS/CALL'],
    ['mcp-method', base64('tools/call')],
    ['mcp-name', 'Echo'],
    ['mcp-name', '=?base64?@@?='],
    ['mcp-name', '=?BASE64?ZWNobw==?='],
  ])('%s: %s is refused with 400 and -32020', async (header, value) => {
    const at = await serve();
    const answer = await send(
      at,
      stateless('tools/call', { name: 'echo', arguments: { text: 'x' } }, { headers: { [header]: value } }),
    );
    expect(answer.status).toBe(400);
    expect((await answer.json()).error?.code).toBe(-32020);
  });

  proves('M-HDR-028, M-HDR-037, M-HDR-045').test(
    'names are found whatever their case, values are trimmed and decoded',
    async () => {
      const at = await serve();
      const sent = stateless('tools/call', { name: 'echo', arguments: { text: 'x' } });
      const headers = { 'MCP-PROTOCOL-VERSION': NEWEST, 'mCP-mEthod': '  tools/call  ', 'Mcp-Name': base64('echo') };
      expect((await send(at, { ...sent, headers })).status).toBe(200);
    },
  );

  proves('M-HDR-004, M-VER-001').test(
    'a version that is not spoken is 400 and -32022, with those that are',
    async () => {
      const at = await serve();
      const body = {
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/list',
        params: { _meta: { ...META(), 'io.modelcontextprotocol/protocolVersion': '1900-01-01' } },
      };
      const answer = await send(at, {
        headers: { 'mcp-protocol-version': '1900-01-01', 'mcp-method': 'tools/list' },
        body,
      });
      expect(answer.status).toBe(400);
      expect((await answer.json()).error).toMatchObject({
        code: -32022,
        data: { supported: [NEWEST], requested: '1900-01-01' },
      });
    },
  );

  proves('M-HDR-028, M-HDR-032, M-HDR-035, M-HDR-040').test.each([
    ['as it is', { region: 'us-east' }, { 'mcp-param-region': 'us-east' }],
    ['encoded', { region: 'Zürich ' }, { 'mcp-param-region': base64('Zürich ') }],
    ['an empty text', { region: '' }, { 'mcp-param-region': '' }],
    ['integers as numbers', { size: 42 }, { 'mcp-param-size': '42.0' }],
    ['nothing for what is absent', {}, {}],
    ['a header that no argument has', {}, { 'mcp-param-unknown': 'x' }],
  ])('an argument is accepted: %s', async (_what, args, headers) => {
    const at = await serve();
    expect((await send(at, region(args, headers))).status).toBe(200);
  });

  proves('M-HDR-035').test('no header is expected for null', () => {
    const param: MirroredParam = { header: 'mcp-param-region', path: ['region'], type: 'string' };
    expect(mirrors(param, { region: null }, undefined)).toBe(true);
  });

  proves('M-HDR-031, M-HDR-032, M-HDR-033, M-HDR-036, M-HDR-044').test.each([
    ['another value', { region: 'us-west' }, { 'mcp-param-region': 'us-east' }],
    ['another case', { region: 'US' }, { 'mcp-param-region': 'us' }],
    ['no header', { region: 'us-west' }, {}],
    ['a header for nothing', {}, { 'mcp-param-region': 'us-west' }],
    ['bad base64', { region: 'x' }, { 'mcp-param-region': '=?base64?x?=' }],
    ['raw bytes outside ASCII', { region: 'Z\u00fcrich' }, { 'mcp-param-region': 'Z\u00fcrich' }],
    ['another number', { size: 42 }, { 'mcp-param-size': '43' }],
    ['no number', { size: 42 }, { 'mcp-param-size': '0x2a' }],
  ])('an argument is refused: %s', async (_what, args, headers) => {
    const at = await serve();
    const answer = await send(at, region(args, headers));
    expect(answer.status).toBe(400);
    expect((await answer.json()).error?.code).toBe(-32020);
  });

  proves('M-HDR-031, M-HDR-049').test('control characters and endless headers end at the parser', async () => {
    const at = await serve();
    for (const line of ['Mcp-Param-Region: a\u0001b', `Mcp-Param-Region: ${'x'.repeat(100_000)}`]) {
      const status = await new Promise<string>((resolve, reject) => {
        let text = '';
        const socket = connect(at.port, '127.0.0.1', () =>
          socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${line}\r\nContent-Length: 0\r\n\r\n`),
        );
        socket.on('data', (chunk) => (text += String(chunk)));
        socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''));
        socket.on('error', reject);
      });
      expect(status).toMatch(/ (?:400|431) /);
    }
  });
});

describe('annotations', () => {
  const schema = (property: object): object => ({ type: 'object', properties: { a: property } });
  const annotated = (name: unknown, type: unknown = 'string'): object => schema({ type, 'x-mcp-header': name });

  const faulty: [ids: string, what: string, inputSchema: object][] = [
    ['M-HDR-012', 'an empty name', annotated('')],
    ['M-HDR-013', 'a space', annotated('My Region')],
    ['M-HDR-013', 'a colon', annotated('a:b')],
    ['M-HDR-013', 'a letter outside ASCII', annotated('Région')],
    ['M-HDR-014', 'a line end', annotated('a\r\nb')],
    ['M-HDR-014', 'a tab', annotated('a\tb')],
    ['M-HDR-016', 'a number', annotated('A', 'number')],
    ['M-HDR-016', 'an array', annotated('A', 'array')],
    ['M-HDR-016', 'an object', annotated('A', 'object')],
    ['M-HDR-016', 'null', annotated('A', 'null')],
    ['M-HDR-016', 'several types', annotated('A', ['string', 'null'])],
    [
      'M-HDR-015',
      'the same name in another case',
      {
        type: 'object',
        properties: {
          a: { type: 'string', 'x-mcp-header': 'Region' },
          b: { type: 'string', 'x-mcp-header': 'REGION' },
        },
      },
    ],
    ['M-HDR-019', 'below items', schema({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } })],
    ...['oneOf', 'anyOf', 'allOf'].map(
      (keyword) =>
        [
          'M-HDR-019',
          `below ${keyword}`,
          { type: 'object', [keyword]: [schema({ type: 'string', 'x-mcp-header': 'A' })] },
        ] satisfies [string, string, object],
    ),
    ...['not', 'if', 'then', 'else'].map(
      (keyword) =>
        [
          'M-HDR-019',
          `below ${keyword}`,
          { type: 'object', [keyword]: schema({ type: 'string', 'x-mcp-header': 'A' }) },
        ] satisfies [string, string, object],
    ),
    [
      'M-HDR-019',
      'behind a reference',
      {
        type: 'object',
        $defs: { a: { type: 'string', 'x-mcp-header': 'A' } },
        properties: { a: { $ref: '#/$defs/a' } },
      },
    ],
  ];
  for (const [ids, what, inputSchema] of faulty)
    proves(ids).test(`${what} makes the tool invalid`, () => {
      expect(readMirroredParams(inputSchema).ok).toBe(false);
    });

  proves('M-HDR-013, M-HDR-016, M-HDR-018').test(
    'tokens on strings, integers and booleans that properties lead to are good',
    () => {
      const nested = schema({ type: 'object', properties: { b: { type: 'integer', 'x-mcp-header': 'X-Y.z' } } });
      expect(readMirroredParams(nested)).toEqual({
        ok: true,
        params: [{ header: 'mcp-param-x-y.z', path: ['a', 'b'], type: 'integer' }],
      });
      expect(readMirroredParams(annotated('B', 'boolean')).ok).toBe(true);
      expect(
        readMirroredParams({
          type: 'object',
          properties: { a: { type: 'string', default: { 'x-mcp-header': 'data' } } },
        }),
      ).toEqual({ ok: true, params: [] });
    },
  );

  proves('M-HDR-017').test('integers beyond what every number type can hold are not mirrored', () => {
    const param: MirroredParam = { header: 'mcp-param-n', path: ['n'], type: 'integer' };
    expect(mirroredText(param, { n: Number.MAX_SAFE_INTEGER })).toBe('9007199254740991');
    expect(mirroredText(param, { n: 2 ** 53 })).toBeUndefined();
  });
});

describe('header values', () => {
  test.each([
    '',
    'us-west1',
    'Hello, 世界',
    ' padded ',
    'line1\nline2',
    '=?base64?literal?=',
    'tab\there',
    '💥',
    '\ufeffmarked',
  ])('%j survives', (text) => {
    const header = writeHeaderValue(text);
    expect(header).toMatch(/^[\x20-\x7e]*$/);
    expect(readHeaderValue(header)).toBe(text);
  });

  proves('M-HDR-027').test.each(['=?BASE64?eA==?=', '=?base64?eA==', 'eA==?=', '=?base64', '?='])(
    '%s is what it says',
    (text) => {
      expect(readHeaderValue(text)).toBe(text);
    },
  );

  proves('M-HDR-044').test.each(['=?base64?eA=?=', '=?base64?e A=?=', '=?base64?_-==?=', '=?base64?/w==?='])(
    '%s cannot be read',
    (text) => {
      expect(readHeaderValue(text)).toBeUndefined();
    },
  );
});
