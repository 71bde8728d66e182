import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { thirdParty, type ThirdParty } from '../src/index.ts';
import { Client, StreamableHTTPClientTransport } from 'crosspoint/client';
import type { ElicitUrlParams } from '../../crosspoint/src/protocol/elicitation/elicitation.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';
import { newestHandshake, stateless as newest } from '../../crosspoint/test/server/wire.ts';
import { makeServer } from '../../crosspoint/test/http/serving.ts';
import { memoryStore, type Store } from 'crosspoint/server';
import { until } from '../../crosspoint/test/until.ts';
import { Browser, bearer, closeStarted, obtain, start, type Started } from './login-kit.ts';
import { UPSTREAM_CLIENT, startUpstream, type Upstream } from './upstream.ts';

let upstream: Upstream;
const clients: Client[] = [];
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await closeStarted();
  await upstream.close();
});

/** A server with a tool that says whose account it used. */
async function startWithHub(
  more: { waitMs?: number; store?: Store; now?: () => number } = {},
): Promise<{ at: Started; hub: ThirdParty; store: Store }> {
  let hub: ThirdParty | undefined;
  const store = more.store ?? memoryStore();
  const at = await start({
    also: ({ url, as, problems }) => {
      hub = thirdParty({
        id: 'hub',
        name: 'Hub',
        issuer: upstream.url,
        ...UPSTREAM_CLIENT,
        scopes: ['repo'],
        baseUrl: url,
        people: as,
        store,
        onproblem: (problem) => problems.push(problem),
        ...more,
      });
      return [hub];
    },
    serverOf: () => {
      const server = makeServer();
      server.registerTool('whoami', {}, async (ctx) => {
        const token = await (hub as ThirdParty).accessToken(ctx);
        // A second one in the same call is there at once.
        expect(await (hub as ThirdParty).accessToken(ctx)).toBe(token);
        return { content: [{ type: 'text', text: upstream.tokens.get(token) ?? 'nobody' }] };
      });
      return server;
    },
  });
  return { at, hub: hub as ThirdParty, store };
}

interface Connected {
  readonly client: Client;
  readonly asked: ElicitUrlParams[];
  readonly told: string[];
  readonly received: string[];
}

/** A client of one person, which does with each link what the test says. */
async function connect(
  at: Started,
  token: string | undefined,
  revision: string,
  onlink: (url: string) => unknown,
): Promise<Connected> {
  const [asked, told, received]: [ElicitUrlParams[], string[], string[]] = [[], [], []];
  const client = new Client(
    { name: 'c', version: '1' },
    {
      revisions: [revision],
      capabilities: { elicitation: { url: {} } },
      onelicitationcomplete: (id) => told.push(id),
    },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params as ElicitUrlParams);
    await onlink((params as ElicitUrlParams).url);
    return { action: 'accept' };
  });
  // Everything that the client is sent.
  const fetchAndKeep = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    const [kept, passed] = response.body?.tee() ?? [null, null];
    if (kept)
      void new Response(kept).text().then(
        (text) => received.push(text),
        () => {},
      );
    return new Response(passed, { status: response.status, headers: response.headers });
  };
  const options = { requestInit: { headers: bearer(token) }, fetch: fetchAndKeep };
  await client.connect(new StreamableHTTPClientTransport(new URL(at.resource), options));
  clients.push(client);
  return { client, asked, told, received };
}

const families = [newest.id, newestHandshake.id];
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe.each(families)('an account elsewhere (%s)', (revision) => {
  proves('L-ELICITATION-047, L-ELICITATION-049, L-ELICITATION-050, M-ELI-021, M-ELI-022').test(
    'is connected on a page by whom it belongs to, and the call goes on',
    async () => {
      const { at, store } = await startWithHub();
      const { browser, tokens } = await obtain(at, 'ada');
      const { client, asked, received } = await connect(at, tokens['access_token'], revision, (url) => browser.go(url));
      upstream.user = 'ada-at-hub';
      expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('ada-at-hub');
      expect(browser.html).toContain('Hub is connected');
      const [question] = asked;
      expect(question?.url).toMatch(new RegExp(`^${at.url}/connect/hub\\?link=[\\w-]{43}$`));
      expect(question?.message).toBe('Connect your Hub account.');
      // Kept for this person: nobody is asked again, and nothing of it can be read in the store.
      expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('ada-at-hub');
      expect(asked).toHaveLength(1);
      const kept = JSON.stringify(await Promise.all((await store.keys('')).map((key) => store.get(key))));
      for (const given of upstream.tokens.keys()) expect(kept).not.toContain(given);
      // The client has seen nothing of what was given there, and the MCP client's token has not gone there.
      await until(() => received.some((text) => text.includes('ada-at-hub')));
      for (const given of upstream.tokens.keys()) expect(received.join()).not.toContain(given);
      expect(upstream.bodies.join()).not.toContain(tokens['access_token']);
    },
  );

  proves('L-ELICITATION-052, M-ELI-019, M-ELI-025').test(
    'is not connected by somebody who was sent the link by another',
    async () => {
      const { at } = await startWithHub({ waitMs: 50 });
      const [mallory, victim] = [await obtain(at, 'ada'), await obtain(at, 'bob')];
      let link = '';
      const { client } = await connect(at, mallory.tokens['access_token'], revision, (url) => {
        link = url;
      });
      upstream.user = 'victim-at-hub';
      // Mallory says yes, opens nothing, and sends the link to the victim, who is logged in.
      const calling = client.callTool({ name: 'whoami' });
      await until(() => link !== '');
      await victim.browser.go(link);
      expect(victim.browser.status).toBe(403);
      expect(victim.browser.html).toContain('made for another person');
      expect(upstream.authorizations).toHaveLength(0);
      expect(upstream.tokens.size).toBe(0);
      const result = (await calling) as { isError?: boolean };
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain('not connected yet');
      expect(at.problems.map(({ message }) => message).join()).toContain('another person than the one it was made for');
      // Whom it was made for can still use it.
      await mallory.browser.go(link);
      expect(mallory.browser.html).toContain('Hub is connected');
    },
  );

  test('is not connected by somebody who was sent the address of the third party either', async () => {
    const { at } = await startWithHub({ waitMs: 50 });
    const [mallory, victim] = [await obtain(at, 'ada'), await obtain(at, 'bob')];
    let away = '';
    const { client } = await connect(at, mallory.tokens['access_token'], revision, async (url) => {
      const cookie = [...(mallory.browser.cookies.get(at.url) ?? [])].map((pair) => pair.join('=')).join('; ');
      away = (await fetch(url, { redirect: 'manual', headers: { cookie } })).headers.get('location') ?? '';
    });
    const calling = client.callTool({ name: 'whoami' });
    await until(() => away !== '');
    upstream.user = 'victim-at-hub';
    await victim.browser.go(away);
    expect(victim.browser.status).toBe(403);
    expect(upstream.tokens.size).toBe(0);
    expect(((await calling) as { isError?: boolean }).isError).toBe(true);
  });

  test('is each person’s own', async () => {
    const { at } = await startWithHub();
    const [ada, bob] = [await obtain(at, 'ada'), await obtain(at, 'bob')];
    const one = await connect(at, ada.tokens['access_token'], revision, (url) => ada.browser.go(url));
    const two = await connect(at, bob.tokens['access_token'], revision, (url) => bob.browser.go(url));
    upstream.user = 'first';
    expect(textOf(await one.client.callTool({ name: 'whoami' }))).toBe('first');
    upstream.user = 'second';
    expect(textOf(await two.client.callTool({ name: 'whoami' }))).toBe('second');
    expect(textOf(await one.client.callTool({ name: 'whoami' }))).toBe('first');
  });
});

describe('a link', () => {
  test('is opened once, by somebody who has logged in, and says nothing of anybody', async () => {
    const { at } = await startWithHub({ waitMs: 50 });
    const { tokens } = await obtain(at, 'ada');
    let link = '';
    const { client } = await connect(at, tokens['access_token'], newestHandshake.id, (url) => {
      link = url;
    });
    await client.callTool({ name: 'whoami' });
    expect(link).not.toMatch(/ada/);
    // Not logged in here: first to the login, and then back to the link.
    const fresh = await new Browser().go(link);
    expect(new URL(fresh.url).pathname).toBe('/login');
    await fresh.logIn('ada');
    expect(fresh.html).toContain('Hub is connected');
    await fresh.go(link);
    expect([fresh.status, fresh.html.includes('opened before')]).toEqual([404, true]);
    await fresh.go(`${at.url}/connect/hub?link=guessed`);
    expect(fresh.status).toBe(404);
    await fresh.go(`${at.url}/connect/hub/callback?code=x&state=guessed`);
    expect(fresh.status).toBe(403);
  });

  test('is reported done to the client that was asked, and to no other', async () => {
    const { at } = await startWithHub();
    const [ada, bob] = [await obtain(at, 'ada'), await obtain(at, 'bob')];
    const others = [
      await connect(at, bob.tokens['access_token'], newestHandshake.id, () => {}),
      // The same person with the same token, in another session.
      await connect(at, ada.tokens['access_token'], newestHandshake.id, () => {}),
    ];
    const one = await connect(at, ada.tokens['access_token'], newestHandshake.id, (url) => void ada.browser.go(url));
    await one.client.callTool({ name: 'whoami' });
    await until(() => one.told.length > 0);
    expect(one.told).toEqual([one.asked[0]?.elicitationId]);
    for (const other of others) {
      await other.client.listTools();
      expect(other.told).toEqual([]);
    }
  });
});

test('what expires is renewed, once for all who wait, and what has ended is asked for again', async () => {
  let now = Date.now();
  upstream.expiresIn = 60;
  const { at } = await startWithHub({ now: () => now });
  const { browser, tokens } = await obtain(at, 'ada');
  const { client, asked } = await connect(at, tokens['access_token'], newest.id, (url) => browser.go(url));
  await client.callTool({ name: 'whoami' });
  now += 61_000;
  const results = await Promise.all(Array.from({ length: 4 }, () => client.callTool({ name: 'whoami' })));
  expect(results.map(textOf)).toEqual(['ada', 'ada', 'ada', 'ada']);
  expect(upstream.refreshes).toBe(1);
  now += 61_000;
  upstream.end();
  expect(textOf(await client.callTool({ name: 'whoami' }))).toBe('ada');
  expect(asked).toHaveLength(2);
});

test('somebody of the same name at another issuer is somebody else', async () => {
  const { at, hub } = await startWithHub();
  const { browser } = await obtain(at, 'ada');
  let link = '';
  const ctx = {
    authInfo: { token: 't', clientId: 'c', scopes: [], extra: { sub: 'ada', iss: 'https://other.example.com' } },
    signal: new AbortController().signal,
    step: (_name: string, run: () => Promise<unknown>) => run(),
    pageCompletion: () => () => {},
    elicit: async ({ url }: { url: string }) => {
      link = url;
      return { action: 'decline' };
    },
  };
  await expect(hub.accessToken(ctx as never)).rejects.toThrow('the user declined');
  await browser.go(link);
  expect([browser.status, upstream.authorizations.length]).toEqual([403, 0]);
});

test('a caller without a name has no account', async () => {
  const { hub } = await startWithHub();
  const ctx = { authInfo: undefined, signal: new AbortController().signal } as never;
  await expect(hub.accessToken(ctx)).rejects.toThrow('token of a user');
});

test('what was given is given back', async () => {
  const { at, hub } = await startWithHub();
  const { browser, tokens } = await obtain(at, 'ada');
  const { client, asked } = await connect(at, tokens['access_token'], newest.id, (url) => browser.go(url));
  await client.callTool({ name: 'whoami' });
  await hub.disconnect(await at.as.verifier.verifyAccessToken(tokens['access_token'] ?? ''));
  expect(upstream.revoked).toHaveLength(1);
  await client.callTool({ name: 'whoami' });
  expect(asked).toHaveLength(2);
});
