import { describe, expect, it, vi } from 'vitest';
import { addressReader } from '../../src/server/http/client-address.ts';
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  validateHostHeader,
  validateOriginHeader,
} from '../../src/server/http/host-validation.ts';
import type { HttpRequest } from '../../src/transports/http/server/adapters/exchange.ts';
import { corsHeaders, preflightHeaders } from '../../src/transports/http/server/guards/cors.ts';
import { isLoopbackAddress, refusal } from '../../src/transports/http/server/guards/host-and-origin.ts';
import { extraOf, gateOf, rememberGate, type HttpAuth } from '../../src/transports/http/server/guards/http-auth.ts';
import { accepts, acceptsAnswer, isJson } from '../../src/transports/http/server/guards/media.ts';
import { checkMirroredHeaders, checkMirroredParams } from '../../src/transports/http/server/guards/mirrored-headers.ts';
import { partyAt } from '../../src/transports/http/server/guards/party.ts';
import { remembered } from '../../src/transports/http/server/guards/remembered.ts';
import { writeHeaderValue } from '../../src/wire/header-value.ts';

const requestWith = (headers: Record<string, string>, more: Partial<HttpRequest> = {}): HttpRequest =>
  ({ header: (name: string) => headers[name], allHeaders: () => headers, ...more }) as unknown as HttpRequest;

describe('CORS headers', () => {
  const expose = 'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After, Allow';

  it('name the origin that asked, and vary by it either way', () => {
    expect(corsHeaders(requestWith({}))).toEqual({ Vary: 'Origin' });
    expect(corsHeaders(requestWith({ origin: 'https://a.example' }))).toEqual({
      'Access-Control-Allow-Origin': 'https://a.example',
      'Access-Control-Expose-Headers': expose,
      Vary: 'Origin',
    });
  });

  it('of a preflight allow the headers of the protocol, and of those asked for only parameters', () => {
    const known =
      'Content-Type, Accept, Authorization, DPoP, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
    const asked = 'mcp-param-a, Mcp-Param-B!,x-mcp-param-c,mcp-param-,mcp-param-d e,mcp-param-f\n,authorization2';
    const headers = preflightHeaders(requestWith({ 'access-control-request-headers': asked }), {});
    expect(headers).toEqual({
      Vary: 'Origin',
      'Access-Control-Allow-Methods': 'POST, GET, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': `${known}, mcp-param-a, Mcp-Param-B!, mcp-param-f`,
      'Access-Control-Max-Age': '600',
    });
    expect(preflightHeaders(requestWith({ origin: 'https://a.example' }), { maxAge: 5 })).toEqual({
      ...corsHeaders(requestWith({ origin: 'https://a.example' })),
      'Access-Control-Allow-Methods': 'POST, GET, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': known,
      'Access-Control-Max-Age': '5',
    });
  });
});

describe('media types', () => {
  it.each([
    [undefined, true],
    ['application/json', true],
    ['text/html, Application/JSON;q=0.5', true],
    ['text/html , */* ', true],
    ['application/*', true],
    ['', false],
    ['text/html', false],
    ['text/*', false],
    ['json', false],
    ['application/jsonx', false],
    ['text/html;application/json', false],
  ])('Accept: %s takes JSON: %s', (header, expected) => {
    expect(accepts(header, 'application/json')).toBe(expected);
  });

  it.each([
    [undefined, true],
    ['application/json, text/event-stream', true],
    ['*/*', true],
    ['application/json', false],
    ['text/event-stream', false],
  ])('Accept: %s takes either form of an answer: %s', (header, expected) => {
    expect(acceptsAnswer(header)).toBe(expected);
  });

  it.each([
    ['application/json', true],
    [' Application/JSON ; charset=UTF-8', true],
    ['application/json; charset="utf8"', true],
    ['application/json; profile=x; charset=utf-8', true],
    ['application/json; profile=charset=latin1', true],
    ['application/json; charset=latin1', false],
    ['application/json; charset=', false],
    ['application/jsonl', false],
    ['text/plain', false],
    ['', false],
    [undefined, false],
  ])('Content-Type: %s is JSON: %s', (header, expected) => expect(isJson(header)).toBe(expected));
});

describe('a result that is remembered', () => {
  it('is computed once for each short text, and every time for a long one', () => {
    const read = vi.fn((header: string | undefined) => header?.length ?? -1);
    const known = remembered(read);
    const [short, long] = ['x'.repeat(256), 'x'.repeat(257)];
    for (const text of [undefined, 'a', short, long]) {
      expect(known(text)).toBe(read(text));
      expect(known(text)).toBe(read(text));
    }
    // Four texts are read by the test twice; by the function once each, the long one twice.
    expect(read).toHaveBeenCalledTimes(8 + 5);
  });

  it('is forgotten with all others when there are a hundred', () => {
    const read = vi.fn((header: string | undefined) => header ?? '');
    const known = remembered(read);
    for (let at = 0; at < 100; at += 1) known(`h${at}`);
    known('h0');
    expect(read).toHaveBeenCalledTimes(100);
    known('h100');
    known('h100');
    expect(read).toHaveBeenCalledTimes(101);
    known('h0');
    expect(read).toHaveBeenCalledTimes(102);
  });
});

describe('the address of a client', () => {
  const at = (headers: Record<string, string>, remoteAddress?: string): HttpRequest =>
    requestWith(headers, remoteAddress === undefined ? {} : { remoteAddress });
  const proxy = '192.0.2.1';

  it('is that of the connection, and empty where the runtime does not tell', () => {
    const read = addressReader(undefined);
    expect(read(at({ 'x-forwarded-for': '1.2.3.4' }, proxy))).toBe(proxy);
    expect(read(at({}, '2001:db8::1'))).toBe('2001:db8:0:0::/64');
    expect(read(at({}))).toBe('');
    expect(partyAt('somewhere')).toBe('somewhere');
  });

  it.each([
    ['9.9.9.9, 1.2.3.4', 1, '1.2.3.4'],
    ['9.9.9.9, 1.2.3.4 ,10.0.0.1', 2, '1.2.3.4'],
    ['1.2.3.4', 2, proxy],
    ['1.2.3.4:4711', 1, '1.2.3.4'],
    ['[2001:db8::7]:4711', 1, '2001:db8:0:0::/64'],
    ['[2001:db8::7]', 1, '2001:db8:0:0::/64'],
    ['2001:db8::7', 1, '2001:db8:0:0::/64'],
    ['x[2001:db8::7]', 1, proxy],
    ['[2001:db8::7]x', 1, proxy],
    ['x1.2.3.4:80', 1, proxy],
    ['1.2.3.4:80x', 1, proxy],
    ['1.2.3.4:', 1, proxy],
    ['unknown', 1, proxy],
    ['', 1, proxy],
  ])('is read from the trusted header %j with %d hops: %s', (header, hops, address) => {
    const read = addressReader({ trustedHeader: 'X-Forwarded-For', hops });
    expect(read(at({ 'x-forwarded-for': header }, proxy))).toBe(address);
    expect(read(at({}, proxy))).toBe(proxy);
  });

  it('takes the last entry where the number of proxies is not said', () => {
    const read = addressReader({ trustedHeader: 'x-real-ip' });
    expect(read(at({ 'x-real-ip': '9.9.9.9, 1.2.3.4' }, proxy))).toBe('1.2.3.4');
  });

  it.each([
    [{ trustedHeader: '' }],
    [{ trustedHeader: 5 }],
    [{ trustedHeader: 'x', hops: 0 }],
    [{ trustedHeader: 'x', hops: 1.5 }],
  ])('cannot be read with %j', (option) => {
    expect(() => addressReader(option as never)).toThrow(/trustedHeader/);
  });

  it('may be found by the program; without a usable text it is that of the connection', () => {
    const found = (given: unknown): string => addressReader(() => given as string)(at({}, proxy));
    expect(found('1.2.3.4')).toBe('1.2.3.4');
    expect(found('a'.repeat(255))).toBe('a'.repeat(255));
    for (const given of ['', 'a'.repeat(256), undefined, 5]) expect(found(given)).toBe(proxy);
    expect(() => found(Promise.resolve('1.2.3.4'))).toThrow(/clientAddress returned a promise/);
  });
});

describe('the checks for endpoints that a program builds', () => {
  const allowed = ['localhost', 'mcp.example'];

  it.each([
    ['localhost', { ok: true, hostname: 'localhost' }],
    ['LOCALHOST:3000', { ok: true, hostname: 'localhost' }],
    ['mcp.example:80', { ok: true, hostname: 'mcp.example' }],
    ['mcp.example:8080', { ok: true, hostname: 'mcp.example' }],
    [undefined, { ok: false, errorCode: 'missing_host' }],
    [null, { ok: false, errorCode: 'missing_host' }],
    ['', { ok: false, errorCode: 'missing_host' }],
    ['a b', { ok: false, errorCode: 'invalid_host_header', hostHeader: 'a b' }],
    ['localhost/x', { ok: false, errorCode: 'invalid_host_header', hostHeader: 'localhost/x' }],
    ['user@localhost', { ok: false, errorCode: 'invalid_host_header' }],
    ['localhost:8080:80', { ok: false, errorCode: 'invalid_host_header' }],
    [
      'evil.example:80',
      { ok: false, errorCode: 'invalid_host', hostHeader: 'evil.example:80', hostname: 'evil.example' },
    ],
  ])('Host: %s', (header, expected) => expect(validateHostHeader(header, allowed)).toMatchObject(expected));

  it.each([
    [undefined, { ok: true }],
    [null, { ok: true }],
    ['', { ok: true }],
    ['http://localhost:5173', { ok: true, origin: 'http://localhost:5173', hostname: 'localhost' }],
    ['null', { ok: false, errorCode: 'invalid_origin_header', originHeader: 'null' }],
    [
      'https://evil.example',
      { ok: false, errorCode: 'invalid_origin', originHeader: 'https://evil.example', hostname: 'evil.example' },
    ],
  ])('Origin: %s', (header, expected) => {
    expect(validateOriginHeader(header, allowed)).toMatchObject(expected);
  });

  it('answer with 403 and a message without an id, or let the request pass', async () => {
    const request = (headers: Record<string, string>): Request => new Request('http://x/', { headers });
    const refused = hostHeaderValidationResponse(request({ host: 'evil.example' }), allowed);
    expect(refused?.status).toBe(403);
    expect(await refused?.json()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32_000, message: 'The host is not allowed: evil.example' },
      id: null,
    });
    expect(hostHeaderValidationResponse(request({ host: 'localhost' }), allowed)).toBeUndefined();
    expect(originValidationResponse(request({ origin: 'https://evil.example' }), allowed)?.status).toBe(403);
    expect(originValidationResponse(request({ origin: 'https://mcp.example' }), allowed)).toBeUndefined();
  });

  it('know the names of this machine; a list that is changed is a copy', () => {
    const names = ['localhost', '127.0.0.1', '[::1]'];
    localhostAllowedHostnames().push('evil.example');
    localhostAllowedOrigins().push('evil.example');
    expect([localhostAllowedHostnames(), localhostAllowedOrigins()]).toEqual([names, names]);
  });
});

describe('hosts and origins', () => {
  it('a host with a port is allowed by its name, or whole, in any case', () => {
    const host = (name: string): HttpRequest => requestWith({ host: name });
    expect(refusal(host('MCP.example:8080'), { allowedHosts: ['mcp.Example'] })).toBeUndefined();
    expect(refusal(host('mcp.example:8080'), { allowedHosts: ['mcp.example:8080'] })).toBeUndefined();
    expect(refusal(host('[2001:DB8::1]:8080'), { allowedHosts: ['[2001:db8::1]'] })).toBeUndefined();
    expect(refusal(host('mcp.example:9090'), { allowedHosts: ['mcp.example:8080'] })).toMatch(/"mcp\.example:9090"/);
    expect(refusal(requestWith({}), { allowedHosts: ['mcp.example'] })).toMatch(/\(none\)/);
  });

  it('an origin is allowed by any entry of the list, in any case', () => {
    const allowedOrigins = ['https://A.example', 'https://b.example'];
    const from = (origin: string): string | undefined =>
      refusal(requestWith({ host: 'x', origin }), { allowedOrigins });
    expect([from('https://a.example'), from('https://B.example')]).toEqual([undefined, undefined]);
    expect(from('https://c.example')).toMatch(/"https:\/\/c\.example"/);
  });

  it('a long text is cut in the refusal', () => {
    const text = refusal(requestWith({ host: `${'x'.repeat(100)}yz` }), { allowedHosts: [] });
    expect(text).toContain(`"${'x'.repeat(100)}"`);
    expect(text).toMatch(/allowedHosts\.$/);
  });

  it('an origin on this machine has a scheme of the web', () => {
    const origin = (text: string): string | undefined =>
      refusal(requestWith({ host: 'localhost', origin: text }, { isLoopback: true }), {});
    expect(origin('https://localhost')).toBeUndefined();
    expect(origin('ftp://localhost')).toMatch(/allowedOrigins/);
    expect(origin('x-http://localhost')).toMatch(/allowedOrigins/);
    expect(origin('not an origin')).toMatch(/allowedOrigins/);
  });

  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['::ffff:10.0.0.1', false],
    ['10.0.0.1', false],
    [undefined, false],
  ])('the address %s is one of this machine: %s', (address, expected) => {
    expect(isLoopbackAddress(address)).toBe(expected);
  });
});

describe('the facts of a request that handlers see', () => {
  const gate = {} as HttpAuth;
  const headers = { authorization: 'Bearer t', dpop: 'proof', accept: '*/*' };

  it('have no credentials that a gate has verified, and keep those of another check', () => {
    const verified = { token: 't', clientId: 'c', scopes: [] };
    const other = { token: 't', clientId: 'c', scopes: [] };
    rememberGate(verified, gate);
    expect([gateOf(verified), gateOf(other), gateOf(undefined)]).toEqual([gate, undefined, undefined]);
    const url = new URL('http://x/mcp');
    const seen = extraOf(requestWith(headers, { authInfo: verified, principal: 'ann', address: '1.2.3.4', url }));
    expect(seen).toMatchObject({ authInfo: verified, principal: 'ann', address: '1.2.3.4' });
    expect(seen.requestInfo?.headers).toEqual({ accept: '*/*' });
    expect(seen.requestInfo?.url).toBe(url);
    expect(extraOf(requestWith(headers, { authInfo: other })).requestInfo?.headers).toEqual(headers);
    expect(extraOf(requestWith(headers))).toMatchObject({ address: '', requestInfo: { headers } });
  });
});

describe('headers that repeat the body', () => {
  const body = { method: 'tools/call', params: { name: 'add' }, claimedVersion: 'v', mirrored: [] };
  const headers = { 'mcp-protocol-version': 'v', 'mcp-method': 'tools/call', 'mcp-name': 'add' };
  const fault = (sent: Record<string, string | undefined>, more: object = {}): unknown => {
    try {
      checkMirroredHeaders(requestWith(sent as Record<string, string>), { ...body, ...more });
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('match', () => {
    expect(fault(headers)).toBeUndefined();
    expect(fault({ ...headers, 'mcp-name': writeHeaderValue('ä') }, { params: { name: 'ä' } })).toBeUndefined();
    // A method without a name needs no header for it.
    expect(fault({ ...headers, 'mcp-name': undefined, 'mcp-method': 'ping' }, { method: 'ping' })).toBeUndefined();
    expect(fault({ ...headers, 'mcp-name': undefined }, { params: { name: 5 } })).toBeUndefined();
  });

  it.each([
    ['mcp-protocol-version', 'w'],
    ['mcp-method', 'tools/list'],
    ['mcp-name', 'sub'],
  ])('%s is missing, or says something else', (name, other) => {
    expect(fault({ ...headers, [name]: undefined })).toBe(`The header ${name} is missing.`);
    expect(fault({ ...headers, [name]: other })).toBe(`The header ${name} does not match the body.`);
  });

  it('are refused in a form that has to be encoded, or is not valid', () => {
    expect(fault({ ...headers, 'mcp-name': 'ä' }, { params: { name: 'ä' } })).toMatch(/need the base64 form/);
    expect(fault({ ...headers, 'mcp-name': '=?base64?%%%?=' })).toMatch(/is not valid base64/);
  });

  it('are refused as such, with the header that differs', () => {
    const check = (): void => checkMirroredHeaders(requestWith({ ...headers, 'mcp-name': 'sub' }), body);
    expect(check).toThrow(expect.objectContaining({ kind: 'header-mismatch', data: { header: 'mcp-name' } }));
    const mirrored = [{ header: 'mcp-param-a', path: ['a'], type: 'string' }];
    expect(fault(headers, { params: { name: 'add', arguments: { a: 'x' } }, mirrored })).toMatch(
      /mcp-param-a is missing/,
    );
    expect(
      fault({ ...headers, 'mcp-param-a': 'x' }, { params: { name: 'add', arguments: { a: 'x' } }, mirrored }),
    ).toBeUndefined();
  });

  it('name the member that an extension names', () => {
    const own = { method: 'own/call', params: { thing: 'x' }, namedBy: 'thing' };
    const sent = { ...headers, 'mcp-method': 'own/call' };
    expect(fault({ ...sent, 'mcp-name': 'x' }, own)).toBeUndefined();
    expect(fault({ ...sent, 'mcp-name': 'y' }, own)).toMatch(/does not match/);
  });

  it('of arguments are those of the arguments, and absent where these are', () => {
    const mirrored = [{ header: 'mcp-param-region', path: ['place', 'region'], type: 'string' }] as never;
    const check = (value: string | undefined, params: object): (() => void) => {
      const sent: Record<string, string> = value === undefined ? {} : { 'mcp-param-region': value };
      return () => checkMirroredParams(requestWith(sent), params as never, mirrored);
    };
    const at = (region: string): object => ({ arguments: { place: { region } } });
    expect(check('eu', at('eu'))).not.toThrow();
    expect(check(undefined, {})).not.toThrow();
    expect(check(undefined, { arguments: 'odd' })).not.toThrow();
    expect(check('us', at('eu'))).toThrow('does not match the argument place.region');
    expect(check(undefined, at('eu'))).toThrow('mcp-param-region is missing');
    expect(check('eu', {})).toThrow('does not match the argument');
  });
});
