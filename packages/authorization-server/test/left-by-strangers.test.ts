import { afterEach, describe, expect, test } from 'vitest';
import { upstreamLogin } from '../src/index.ts';
import { memoryStore } from 'crosspoint/server';
import {
  Browser,
  CALLBACK,
  authorizeUrl,
  closeStarted,
  obtain,
  pkce,
  postForm,
  register,
  start,
  type Started,
} from './login-kit.ts';
import { UPSTREAM_CLIENT, startUpstream, type Upstream } from './upstream.ts';

const upstreams: Upstream[] = [];
afterEach(async () => {
  await closeStarted();
  for (const upstream of upstreams.splice(0)) await upstream.close();
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NO_LIMIT = { maxPerHour: 1e6, maxPerHourOfAll: 1e6 };
const rateLimit = { max: 1e6, windowMs: 60_000 };

const idOf = async (at: Started): Promise<string> =>
  (await register(at, { redirect_uris: [CALLBACK] })).body['client_id'] ?? '';
const visit = async (at: Started, id: string): Promise<number> =>
  (await new Browser().go(authorizeUrl(at, pkce(), { client_id: id }))).status;

describe('registrations that nobody logs in with', () => {
  test('give way to new ones, the oldest first, and those that somebody uses stay', async () => {
    const store = memoryStore();
    const at = await start({ as: { store, rateLimit, registration: { ...NO_LIMIT, maxUnused: 5 } } });
    const used = await idOf(at);
    await obtain(at, 'ada', { client_id: used });
    const ids: string[] = [];
    for (let turn = 0; turn < 17; turn += 1) ids.push(await idOf(at));
    expect(await store.count('oauth:client:')).toBe(6);
    expect(await Promise.all(ids.slice(-5).map((id) => visit(at, id)))).toEqual([200, 200, 200, 200, 200]);
    expect(await visit(at, ids.at(-6) ?? '')).toBe(401);
    expect(await visit(at, used)).toBe(200);
  });

  test('are a thousand at most, and each is small', async () => {
    const store = memoryStore();
    const at = await start({ as: { store, rateLimit, registration: NO_LIMIT } });
    const body = JSON.stringify({ redirect_uris: [CALLBACK] });
    const headers = { 'content-type': 'application/json' };
    for (let turn = 0; turn < 1100; turn += 1) {
      const request = new Request(`${at.url}/register`, { method: 'POST', body, headers });
      expect((await at.as.fetch(request)).status).toBe(201);
    }
    expect(await store.count('oauth:client:')).toBe(1000);
    const long = Array.from({ length: 10 }, (_, index) => `${CALLBACK}/${index}${'x'.repeat(1900)}`);
    const { status, body: refused } = await register(at, { redirect_uris: long });
    expect([status, refused['error']]).toEqual([400, 'invalid_client_metadata']);
  });
});

test('documents of clients are kept up to a number, and loaded again beyond it', async () => {
  const store = memoryStore();
  const loads: string[] = [];
  const fetcher = async (url: string | URL): Promise<Response> => {
    loads.push(String(url));
    const document = { client_id: String(url), client_name: 'S', redirect_uris: [CALLBACK] };
    const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=86400' };
    return new Response(JSON.stringify(document), { headers });
  };
  const at = await start({
    as: { store, rateLimit, outbound: { fetch: fetcher }, clientDocuments: { maxKept: 5 } },
  });
  const id = (index: number): string => `https://c${index}.example.com/client.json`;
  for (let index = 0; index < 17; index += 1) expect(await visit(at, id(index))).toBe(200);
  expect(await store.count('oauth:document:')).toBe(5);
  loads.length = 0;
  expect([await visit(at, id(16)), await visit(at, id(0))]).toEqual([200, 200]);
  expect(loads).toEqual([id(0)]);
});

describe('a browser in which somebody agrees', () => {
  async function startProxy(): Promise<{ at: Started; pass: (ms: number) => void }> {
    const upstream = await startUpstream();
    upstreams.push(upstream);
    let now = Date.now();
    const store = memoryStore({ now: () => now });
    const login = upstreamLogin({ name: 'Hub', issuer: upstream.url, ...UPSTREAM_CLIENT, scopes: ['openid'] });
    const at = await start({ as: { store, login, rateLimit, now: () => now } });
    return { at, pass: (ms) => void (now += ms) };
  }

  test('is remembered for an hour, until somebody logs in', async () => {
    const { at, pass } = await startProxy();
    const stranger = await new Browser().go(authorizeUrl(at, pkce()));
    // Agreed, and not followed upstream.
    const token = /name="token" value="([^"]+)"/.exec(stranger.html)?.[1] ?? '';
    const agree = async (cookie?: string): Promise<Response> =>
      fetch(stranger.url, {
        method: 'POST',
        body: new URLSearchParams({ action: 'approve', token }),
        headers: { origin: at.url, ...(cookie !== undefined && { cookie }) },
        redirect: 'manual',
      });
    const cookie = ((await agree()).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const known = async (): Promise<boolean> =>
      (await fetch(stranger.url, { headers: { cookie }, redirect: 'manual' })).status === 303;
    expect(await known()).toBe(true);
    pass(HOUR + 1);
    expect(await known()).toBe(false);
  });

  test('is remembered for long once somebody has logged in', async () => {
    const { at, pass } = await startProxy();
    const browser = await new Browser().go(authorizeUrl(at, pkce()));
    await browser.submit({ action: 'approve' });
    expect(browser.params.get('code')).not.toBeNull();
    pass(89 * DAY);
    await browser.go(authorizeUrl(at, pkce()));
    expect(browser.params.get('code')).not.toBeNull();
  });

  test('keeps no request that is longer than requests are', async () => {
    const { at } = await startProxy();
    const browser = await new Browser().go(authorizeUrl(at, pkce(), { state: 's'.repeat(9000) }));
    expect([browser.status, new URL(browser.url).origin]).toEqual([400, at.url]);
  });
});

test('a client that acts for itself leaves nothing behind when its token has expired', async () => {
  let now = Date.now();
  const store = memoryStore({ now: () => now });
  const machine = {
    client_id: 'machine',
    client_secret: 's',
    token_endpoint_auth_method: 'client_secret_post' as const,
    grant_types: ['client_credentials'],
  };
  const at = await start({ as: { store, clients: [machine], now: () => now } });
  const fields = { grant_type: 'client_credentials', client_id: 'machine', client_secret: 's' };
  const { body } = await postForm(`${at.url}/token`, fields);
  const kept = [...(await store.keys('oauth:grant:')), ...(await store.keys('oauth:access:'))];
  expect(kept).toHaveLength(2);
  await expect(at.as.verifier.verifyAccessToken(body['access_token'] ?? '')).resolves.toBeDefined();
  now += 600_001;
  expect(await Promise.all(kept.map((key) => store.get(key)))).toEqual([undefined, undefined]);
});
