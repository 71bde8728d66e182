import { afterEach, expect, test } from 'vitest';
import { upstreamLogin } from '../src/index.ts';
import { Browser, CALLBACK, authorizeUrl, closeStarted, pkce, start, type Started } from './login-kit.ts';
import { UPSTREAM_CLIENT, startUpstream, type Upstream } from './upstream.ts';

const upstreams: Upstream[] = [];
afterEach(async () => {
  await closeStarted();
  for (const upstream of upstreams.splice(0)) await upstream.close();
});

const DOCUMENT = 'https://app.example.com/client.json';
const EVIL = 'https://evil.example.com/cb';
// The request names neither, so both are what the document and the server say at the moment.
const UNNAMED = { client_id: DOCUMENT, redirect_uri: undefined, scope: undefined };

/** A document that says something else from a certain load on. */
function changing(fromLoad: number, change: object): typeof fetch {
  let loads = 0;
  return (async () => {
    loads += 1;
    const document = { client_id: DOCUMENT, client_name: 'App', redirect_uris: [CALLBACK] };
    return new Response(JSON.stringify(loads < fromLoad ? document : { ...document, ...change }), {
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
  }) as typeof fetch;
}

test('a document that changes between the page and the answer leads nobody elsewhere', async () => {
  for (const change of [{ redirect_uris: [EVIL] }, { client_name: 'Another' }]) {
    const at: Started = await start({ as: { outbound: { fetch: changing(3, change) } } });
    const browser = await new Browser().go(authorizeUrl(at, pkce(), UNNAMED));
    await browser.logIn('ada');
    expect(browser.html).toContain('client.example.com');
    await browser.submit({ action: 'approve' });
    expect([browser.status, new URL(browser.url).origin]).toEqual([403, at.url]);
    expect(browser.html).toContain('too old');
  }
});

test('a document that changes while somebody is away to log in leads nobody elsewhere', async () => {
  const upstream = await startUpstream();
  upstreams.push(upstream);
  const login = upstreamLogin({ name: 'Hub', issuer: upstream.url, ...UPSTREAM_CLIENT, scopes: ['openid'] });
  const at = await start({ as: { login, outbound: { fetch: changing(3, { redirect_uris: [EVIL] }) } } });
  const browser = await new Browser().go(authorizeUrl(at, pkce(), UNNAMED));
  expect(browser.html).toContain('client.example.com');
  await browser.submit({ action: 'approve' });
  expect([browser.status, new URL(browser.url).origin]).toEqual([403, at.url]);
  expect(browser.html).not.toContain('evil.example.com');
});
