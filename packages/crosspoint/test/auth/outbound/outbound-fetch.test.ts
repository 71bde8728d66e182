import { afterEach, describe, expect, it } from 'vitest';
import { OutboundError } from '../../../src/auth/outbound/outbound-error.ts';
import { createOutboundFetch } from '../../../src/auth/outbound/outbound-fetch.ts';
import {
  addressFault,
  isLoopbackName,
  openFault,
  policyFor,
  urlFault,
  type OutboundPolicy,
} from '../../../src/auth/outbound/policy.ts';
import { proves } from '../../requirements/proves.ts';
import { sendJson, serve, type Served } from '../serving.ts';

const open: Served[] = [];
async function served(...args: Parameters<typeof serve>): Promise<Served> {
  const server = await serve(...args);
  open.push(server);
  return server;
}
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function faultOf(url: string, policy?: OutboundPolicy, init?: RequestInit): Promise<OutboundError> {
  const error: unknown = await createOutboundFetch(policy)(url, init).then(
    () => new Error('It was loaded.'),
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(OutboundError);
  return error as OutboundError;
}

const DEVELOPMENT: OutboundPolicy = { loopback: true };

describe('what a peer may send us to', () => {
  proves('L-SECURITY-044, M-ASEC-045, L-SECURITY-030, M-ASEC-031').it.each([
    ['javascript:alert(1)', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['data:application/json,{}', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['not an address', 'scheme'],
    ['http://example.com/', 'scheme'],
    ['http://localhost/', 'scheme'],
    ['https://localhost/', 'address'],
    ['https://127.0.0.1/', 'address'],
    ['https://2130706433/', 'address'],
    ['https://0x7f.1/', 'address'],
    ['https://[::1]/', 'address'],
    ['https://[::ffff:169.254.169.254]/', 'address'],
    ['https://169.254.169.254/latest/meta-data/', 'address'],
    ['https://10.0.0.1/', 'address'],
    ['https://user:password@example.com/', 'address'],
  ])('%s is refused', async (url, fault) => {
    expect((await faultOf(url, { resolve: () => Promise.reject(new Error('asked')) })).fault).toBe(fault);
  });

  proves('L-SECURITY-029, M-ASEC-030, L-SECURITY-031, M-ASEC-032').it.each([
    '169.254.169.254',
    '10.0.0.8',
    '127.0.0.1',
    'fd00:ec2::254',
    '::1',
  ])('a name that resolves to %s is refused, also beside a good address', async (address) => {
    const resolve = (): Promise<string[]> => Promise.resolve(['93.184.216.34', address]);
    const error = await faultOf('https://metadata.example/', { resolve });
    expect(error.fault).toBe('address');
    expect(error.message).toContain(address);
  });

  it.each([
    ['https://mcp.example/mcp', 'https://mcp.example/token', undefined],
    ['https://mcp.example/mcp', 'https://login.example/token', undefined],
    ['https://mcp.example/mcp', 'http://mcp.example/token', 'scheme'],
    ['https://mcp.example/mcp', 'https://127.0.0.1/token', 'address'],
    ['https://mcp.example/mcp', 'https://10.0.0.1/token', 'address'],
    ['https://10.0.0.1/mcp', 'https://10.0.0.1/token', undefined],
    ['https://10.0.0.1/mcp', 'https://10.0.0.2/token', 'address'],
    ['http://intranet.example/mcp', 'http://intranet.example/token', undefined],
    ['http://localhost:3000/mcp', 'http://127.0.0.1:4000/token', undefined],
  ])('%s may name %s: %s', async (namedBy, url, fault) => {
    const sent: string[] = [];
    const load = createOutboundFetch({
      namedBy,
      fetch: async (to) => {
        sent.push(String(to));
        return new Response('{}');
      },
    });
    if (fault === undefined) {
      load.check(url);
      expect(sent).toEqual([]);
      await load(url);
      expect(sent).toEqual([url]);
    } else {
      expect(() => load.check(url)).toThrow(expect.objectContaining({ name: 'OutboundError', fault }));
      await expect(load(url)).rejects.toMatchObject({ fault });
      expect(sent).toEqual([]);
    }
  });

  it('development does not open the way to metadata services', async () => {
    const policy = { ...DEVELOPMENT, privateNetworks: true };
    expect((await faultOf('http://169.254.169.254/', policy)).fault).toBe('scheme');
    expect((await faultOf('https://169.254.169.254/', policy)).fault).toBe('address');
  });

  it('a name is resolved once: the connection goes to the address that was checked', async () => {
    const server = await served((_, response) => sendJson(response, { here: true }));
    let asked = 0;
    const resolve = (): Promise<string[]> => Promise.resolve([(asked += 1) === 1 ? '127.0.0.1' : '169.254.169.254']);
    const load = createOutboundFetch({ ...DEVELOPMENT, plainHttpHosts: ['rebinding.example'], resolve });
    const response = await load(`http://rebinding.example:${server.port}/`);
    expect(await response.json()).toEqual({ here: true });
    expect(asked).toBe(1);
    await expect(load(`http://rebinding.example:${server.port}/`)).rejects.toMatchObject({ fault: 'address' });
    expect(server.requests).toHaveLength(1);
  });

  it('the next address is tried where the first has nobody listening', async () => {
    const server = await served((_, response) => sendJson(response, { here: true }));
    const resolve = (): Promise<string[]> => Promise.resolve(['127.0.0.2', '127.0.0.1']);
    const load = createOutboundFetch({ ...DEVELOPMENT, plainHttpHosts: ['two.example'], resolve });
    expect((await load(`http://two.example:${server.port}/`)).status).toBe(200);
  });

  it('a server on this machine may name this machine, another one may not', async () => {
    const server = await served((_, response) => sendJson(response, {}));
    const near = createOutboundFetch(policyFor('http://localhost:1/mcp'));
    expect((await near(`${server.url}/`)).status).toBe(200);
    expect((await faultOf(`${server.url}/`, policyFor('https://mcp.example/mcp'))).fault).toBe('scheme');
    expect(server.requests).toHaveLength(1);
  });

  it('the host that the user named may be in a private network, and still no metadata service', async () => {
    const policy = policyFor('https://mcp.corp.example/mcp');
    const at = (address: string): OutboundPolicy => ({
      ...policy,
      resolve: () => Promise.resolve([address]),
      timeoutMs: 50,
    });
    const own = await faultOf('https://mcp.corp.example/x', at('169.254.169.254'));
    const other = await faultOf('https://as.corp.example/x', at('10.0.0.1'));
    expect([own.fault, other.fault]).toEqual(['address', 'address']);
    expect(other.message).toContain('privateHosts');
  });
});

describe('the policy', () => {
  const fault = (url: string, policy?: OutboundPolicy): string | undefined => urlFault(new URL(url), policy)?.fault;

  it.each(['localhost', 'LOCALHOST.', 'app.localhost', '127.0.0.1', '[::1]'])('%s is this machine', (name) =>
    expect(isLoopbackName(name)).toBe(true),
  );

  it.each(['mylocalhost', 'localhost.example', 'localhost..', '10.0.0.1', ''])('%j is not this machine', (name) =>
    expect(isLoopbackName(name)).toBe(false),
  );

  it('takes credentials in an address for a way to hide the host, each of them alone', () => {
    expect(fault('https://user@example.com/')).toBe('address');
    expect(fault('https://:password@example.com/')).toBe('address');
    expect(openFault(new URL('https://:password@example.com/'))?.fault).toBe('address');
    expect(fault('https://example.com/')).toBeUndefined();
  });

  it('allows plain http for listed hosts only: exact names, or all under a suffix', () => {
    const policy = { plainHttpHosts: ['Intranet.example', '*.corp.example'] };
    for (const host of ['intranet.example', 'a.corp.example', 'b.a.corp.example'])
      expect(fault(`http://${host}/`, policy), host).toBeUndefined();
    for (const host of ['x.intranet.example', 'corp.example', 'evilcorp.example', 'a.corp.example.evil.example'])
      expect(fault(`http://${host}/`, policy), host).toBe('scheme');
    expect(openFault(new URL('http://a.corp.example/'), policy)).toBeUndefined();
    expect(openFault(new URL('ftp://a.corp.example/'), policy)?.fault).toBe('scheme');
  });

  it('allows this machine only where it says so, over either scheme', () => {
    expect(fault('https://localhost/', { loopback: true })).toBeUndefined();
    expect(fault('http://localhost/', { loopback: true })).toBeUndefined();
    // Being listed for plain http does not open this machine.
    expect(fault('http://localhost/', { plainHttpHosts: ['localhost'] })).toBe('address');
    expect(fault('http://example.com/', { loopback: true })).toBe('scheme');
    expect(urlFault(new URL('http://localhost/'))?.message).toContain('a server on this machine');
    expect(urlFault(new URL('http://example.com/'))?.message).toContain('plain http');
  });

  it('allows private networks as a whole or by host, and nothing that is never allowed', () => {
    const at = (address: string, policy: OutboundPolicy): string | undefined =>
      addressFault(new URL('https://mcp.example/'), address, policy)?.message;
    expect(at('93.184.216.34', {})).toBeUndefined();
    expect(at('10.0.0.1', { privateNetworks: true })).toBeUndefined();
    expect(at('10.0.0.1', { privateHosts: ['mcp.example'] })).toBeUndefined();
    expect(at('10.0.0.1', { privateHosts: ['other.example'], loopback: true })).toMatch(
      /an address of a private network \(10\.0\.0\.1\); list the host in privateHosts/,
    );
    expect(at('127.0.0.1', { loopback: true })).toBeUndefined();
    expect(at('127.0.0.1', { privateNetworks: true, privateHosts: ['mcp.example'] })).toMatch(
      /an address of this machine \(127\.0\.0\.1\)\.?$/,
    );
    const all = { loopback: true, privateNetworks: true, privateHosts: ['mcp.example'] };
    expect(at('169.254.1.1', all)).toMatch(/link-local, metadata or reserved/);
    expect(at('no address', all)).toMatch(/link-local, metadata or reserved/);
  });

  it('of a server keeps the given rules, and adds its own host', () => {
    const given = { privateHosts: ['a.example'], plainHttpHosts: ['b.example'], maxBytes: 5 };
    expect(policyFor('https://mcp.example/mcp', given)).toEqual({
      loopback: false,
      privateHosts: ['mcp.example', 'a.example'],
      plainHttpHosts: ['b.example'],
      maxBytes: 5,
    });
    expect(policyFor('http://localhost:1/mcp')).toEqual({
      loopback: true,
      privateHosts: ['localhost'],
      plainHttpHosts: ['localhost'],
    });
    expect(policyFor('http://localhost:1/mcp', { loopback: false }).loopback).toBe(false);
  });
});

describe('a request', () => {
  it('arrives as it was meant: host, path, method, headers, body and its type', async () => {
    const seen: unknown[] = [];
    const server = await served((request, response, body) => {
      const {
        host,
        accept,
        'content-type': type,
        'accept-encoding': encoding,
        'content-length': length,
      } = request.headers;
      seen.push([request.method, request.url, host, accept, type, encoding, length, body]);
      response.setHeader('Set-Cookie', ['a=1', 'b=2']).writeHead(201).end('done');
    });
    const load = createOutboundFetch({
      ...DEVELOPMENT,
      plainHttpHosts: ['as.example'],
      resolve: async () => ['127.0.0.1'],
    });
    const at = `http://as.example:${server.port}`;
    const answer = await load(`${at}/token?x=1#secret`, {
      method: 'post',
      headers: { Accept: 'a/b', 'Accept-Encoding': 'gzip' },
      body: new URLSearchParams({ code: 'c' }),
    });
    expect([answer.status, await answer.text(), answer.headers.getSetCookie()]).toEqual([201, 'done', ['a=1', 'b=2']]);
    await load(`${at}/json`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
    await load(`${at}/plain`);
    const form = 'application/x-www-form-urlencoded;charset=UTF-8';
    expect(seen).toEqual([
      ['POST', '/token?x=1', `as.example:${server.port}`, 'a/b', form, 'identity', '6', 'code=c'],
      ['POST', '/json', `as.example:${server.port}`, undefined, 'application/json', 'identity', '2', '{}'],
      ['GET', '/plain', `as.example:${server.port}`, undefined, undefined, 'identity', undefined, ''],
    ]);
  });

  it.each([204, 205, 304])('may be answered with %d, which has no body', async (status) => {
    const server = await served((_, response) => response.writeHead(status).end());
    const answer = await createOutboundFetch(DEVELOPMENT)(server.url);
    expect([answer.status, answer.body]).toEqual([status, null]);
    const given = createOutboundFetch({ fetch: async () => new Response(null, { status }) });
    expect((await given('https://example.com/')).status).toBe(status);
  });

  it('fails with a name for each way to fail', async () => {
    const cut = await served((_, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('x');
      setTimeout(() => response.destroy(), 20);
    });
    expect((await faultOf(cut.url, DEVELOPMENT)).fault).toBe('network');
    const nobody = await faultOf('https://nobody.example/', { resolve: async () => [] });
    expect([nobody.fault, nobody.message]).toEqual([
      'resolve',
      expect.stringContaining('nobody.example has no address'),
    ]);
    const unknown = await faultOf('https://[2606:2800:220:1::1]/', {
      resolve: async (name) => Promise.reject(new Error(name)),
    });
    expect(unknown.fault).toBe('resolve');
    expect(unknown.message).toContain('the name 2606:2800:220:1::1 could not');
    const failing = (error: unknown): Promise<OutboundError> =>
      faultOf('https://example.com/', { fetch: () => Promise.reject(error as Error) });
    expect((await failing(new TypeError(''))).message).toContain('(TypeError)');
    expect((await failing(new Error('broken'))).message).toContain('(broken)');
    expect((await failing('text')).message).toContain('(text)');
  });

  it('ends with the reason of its caller, also while the name is resolved', async () => {
    const reason = new Error('no longer wanted');
    const never = createOutboundFetch({ resolve: () => new Promise<string[]>(() => {}) });
    await expect(never('https://example.com/', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const ending = new AbortController();
    const waiting = never('https://example.com/', { signal: ending.signal });
    ending.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    const slow = await faultOf('https://example.com/', {
      resolve: () => new Promise<string[]>(() => {}),
      timeoutMs: 30,
    });
    expect([slow.fault, slow.message]).toEqual(['timeout', expect.stringContaining('took too long')]);
  });

  it('is sent by a given fetch without following, and by a browser without cookies and cache', async () => {
    const sent: (RequestInit | undefined)[] = [];
    const load = createOutboundFetch({ fetch: async (_url, init) => (sent.push(init), new Response('{}')) });
    await load('https://example.com/');
    Object.assign(globalThis, { document: {} });
    try {
      await load('https://example.com/', { method: 'POST', body: 'x' });
    } finally {
      delete (globalThis as { document?: unknown }).document;
    }
    const [plain, browser] = sent;
    expect(plain).toMatchObject({ method: 'GET', redirect: 'manual' });
    expect(plain).not.toHaveProperty('credentials');
    expect(plain).not.toHaveProperty('body');
    expect(browser).toMatchObject({ method: 'POST', redirect: 'manual', credentials: 'omit', cache: 'no-store' });
    expect(browser?.body).toHaveLength(1);
  });

  it('goes on to the next address for a refused connection only', async () => {
    const tried: string[] = [];
    const server = await served((request, response) => (tried.push(request.url ?? ''), response.destroy()));
    const policy = { ...DEVELOPMENT, plainHttpHosts: ['two.example'], resolve: async () => ['127.0.0.1', '127.0.0.1'] };
    expect((await faultOf(`http://two.example:${server.port}/`, policy)).fault).toBe('network');
    expect(tried).toEqual(['/']);
  });
});

describe('redirects', () => {
  proves('L-SECURITY-032, M-ASEC-033').it('of a plain GET are followed, each hop checked', async () => {
    const server = await served((request, response) =>
      request.url === '/to'
        ? sendJson(response, { found: true })
        : response.writeHead(302, { Location: request.url === '/meta' ? 'http://169.254.169.254/' : '/to' }).end(),
    );
    const load = createOutboundFetch(DEVELOPMENT);
    expect(await (await load(`${server.url}/from`)).json()).toEqual({ found: true });
    await expect(load(`${server.url}/meta`)).rejects.toMatchObject({ fault: 'scheme' });
  });

  it('of what carries credentials are not followed', async () => {
    const server = await served((_, response) => response.writeHead(307, { Location: '/to' }).end());
    const post = await faultOf(server.url, DEVELOPMENT, { method: 'POST', body: 'code=secret' });
    const get = await faultOf(server.url, DEVELOPMENT, { headers: { Authorization: 'Bearer secret' } });
    expect([post.fault, get.fault]).toEqual(['redirect', 'redirect']);
    expect(server.requests).toHaveLength(2);
    expect(`${post.message}${get.message}`).not.toContain('secret');
  });

  it.each(['Authorization', 'Cookie', 'DPoP', 'Proxy-Authorization'])('are not followed with %s', async (name) => {
    const server = await served((_, response) => response.writeHead(302, { Location: '/to' }).end());
    expect((await faultOf(server.url, DEVELOPMENT, { headers: { [name]: 'secret' } })).fault).toBe('redirect');
  });

  it.each([301, 302, 303, 307, 308])(
    'with %d are followed by a GET, and refused where that is asked for',
    async (status) => {
      const server = await served((request, response) =>
        request.url === '/to' ? response.end('there') : response.writeHead(status, { Location: '/to' }).end(),
      );
      expect(await (await createOutboundFetch(DEVELOPMENT)(server.url)).text()).toBe('there');
      expect((await faultOf(server.url, DEVELOPMENT, { redirect: 'error' })).fault).toBe('redirect');
      const before = server.requests.length;
      for (const method of ['DELETE', 'HEAD'])
        expect((await faultOf(server.url, DEVELOPMENT, { method })).fault).toBe('redirect');
      expect(server.requests).toHaveLength(before + 2);
    },
  );

  it('without a target lead nowhere', async () => {
    const server = await served((request, response) =>
      response.writeHead(302, request.url === '/odd' ? { Location: 'http://[' } : {}).end(),
    );
    for (const path of ['/', '/odd'])
      expect((await faultOf(`${server.url}${path}`, DEVELOPMENT)).message).toContain('without a target');
    expect((await faultOf(server.url, { ...DEVELOPMENT, maxRedirects: 0 })).message).toContain('too many redirects');
  });

  it('are left to whoever wants to see them', async () => {
    const server = await served((_, response) =>
      response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
    );
    const response = await createOutboundFetch(DEVELOPMENT)(server.url, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://169.254.169.254/']);
  });

  it('without end are not followed without end', async () => {
    const server = await served((_, response) => response.writeHead(302, { Location: '/again' }).end());
    expect((await faultOf(server.url, DEVELOPMENT)).fault).toBe('redirect');
    expect(server.requests).toHaveLength(4);
  });
});

describe('limits', () => {
  it('an answer that is too large is not taken', async () => {
    const server = await served((_, response) => sendJson(response, 'x'.repeat(2000)));
    expect((await faultOf(server.url, { ...DEVELOPMENT, maxBytes: 1000 })).fault).toBe('too-large');
    // Two quotation marks: the limit itself is allowed.
    expect((await faultOf(server.url, { ...DEVELOPMENT, maxBytes: 2001 })).message).toContain('larger than 2001 bytes');
    expect(await (await createOutboundFetch({ ...DEVELOPMENT, maxBytes: 2002 })(server.url)).json()).toHaveLength(2000);
  });

  it('an answer without end is not waited for, in size or in time', async () => {
    const endless = await served((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const more = (): void =>
        void (response.destroyed || response.write('x'.repeat(65_536), () => setImmediate(more)));
      more();
    });
    const silent = await served((_, response) => void response.writeHead(200).write('{'));
    expect((await faultOf(endless.url, DEVELOPMENT)).fault).toBe('too-large');
    expect((await faultOf(silent.url, { ...DEVELOPMENT, timeoutMs: 200 })).fault).toBe('timeout');
  });

  it('hold for a fetch that is given, too', async () => {
    const big = (): Promise<Response> => Promise.resolve(new Response('x'.repeat(2000)));
    expect((await faultOf('https://example.com/', { fetch: big, maxBytes: 1000 })).fault).toBe('too-large');
    const moved = (): Promise<Response> =>
      Promise.resolve(new Response(null, { status: 302, headers: { Location: 'https://10.0.0.1/' } }));
    expect((await faultOf('https://example.com/', { fetch: moved })).fault).toBe('address');
  });
});

describe('what is opened in a browser', () => {
  proves('L-SECURITY-041, M-ASEC-042').it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'vbscript:x',
    'http://example.com/authorize',
    'ssh://example.com',
    'https://user@example.com/',
  ])('is not %s', (url) => expect(openFault(new URL(url))).toBeInstanceOf(OutboundError));

  proves('L-SECURITY-041, M-ASEC-042').it.each([
    'https://example.com/authorize',
    'http://localhost:3000/authorize',
    'http://127.0.0.1/',
  ])('is %s', (url) => expect(openFault(new URL(url))).toBeUndefined());
});
