import { afterEach, describe, expect, it } from 'vitest';
import { OutboundError } from '../../../src/auth/outbound/outbound-error.ts';
import { createOutboundFetch } from '../../../src/auth/outbound/outbound-fetch.ts';
import { openFault, policyFor, type OutboundPolicy } from '../../../src/auth/outbound/policy.ts';
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
