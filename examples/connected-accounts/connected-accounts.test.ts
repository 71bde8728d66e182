import { protocolRevisions } from 'crosspoint';
import { createLogin } from 'crosspoint/auth/node';
import { Client } from 'crosspoint/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HUB_CLIENT, startHub } from './hub.ts';
import { serve } from './serve.ts';

let running: Awaited<ReturnType<typeof serve>>;
let hub: Awaited<ReturnType<typeof startHub>>;
const atHub = { sub: '' };
beforeAll(async () => {
  running = await serve({
    hub: async (origin) => {
      hub = await startHub(() => `${origin}/connect/hub/callback`, atHub);
      return { url: hub.url, ...HUB_CLIENT };
    },
    people: (name, password) => (password === 'secret' ? { sub: name } : undefined),
    port: 0,
  });
});
afterAll(async () => {
  await running.close();
  hub.close();
});

/** A person at a browser, who stays logged in. */
class Person {
  #cookie = '';
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  async logIn(page: URL): Promise<void> {
    const answer = await this.#post(page, { action: 'login', username: this.name, password: 'secret' });
    this.#cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? this.#cookie;
    const token = /name="token" value="([^"]*)"/.exec(await answer.text())?.[1] ?? '';
    const agreed = await this.#post(page, { action: 'approve', token });
    await fetch(agreed.headers.get('location') ?? '');
  }

  /** Opens an address and returns the text of the last page. */
  async open(address: string): Promise<string> {
    for (let next = address; ;) {
      const answer = await fetch(next, { redirect: 'manual', headers: { cookie: this.#cookie } });
      const location = answer.headers.get('location');
      if (location === null) return answer.text();
      next = new URL(location, next).href;
    }
  }

  #post(page: URL, fields: Record<string, string>): Promise<Response> {
    const headers = { origin: page.origin, cookie: this.#cookie };
    return fetch(page, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
  }
}

async function connect(person: Person, revision: string, onlink: (url: string) => unknown): Promise<Client> {
  const client = new Client(
    { name: 'c', version: '1' },
    { revisions: [revision], capabilities: { elicitation: { url: {} } } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    await onlink('url' in params ? params.url : '');
    return { action: 'accept' };
  });
  const login = createLogin({
    serverUrl: running.url,
    clientName: 'C',
    say: () => {},
    open: (page) => person.logIn(page),
  });
  await client.connect({ url: running.url, authProvider: login });
  return client;
}

const list = async (client: Client): Promise<string> =>
  ((await client.callTool({ name: 'list_repositories' })).content[0] as { text: string }).text;

describe.each(protocolRevisions.slice(0, 2).map(({ id }) => id))('with a client of %s', (revision) => {
  test('a user connects an account on a page, and the tool uses it', async () => {
    const ada = new Person(`ada-${revision}`);
    const client = await connect(ada, revision, (url) => ada.open(url));
    atHub.sub = 'ada-at-hub';
    expect(await list(client)).toBe('repositories of ada-at-hub');
    await client.close();
  });

  test('a link that one user sends to another connects nothing', async () => {
    const [mallory, victim] = [new Person(`mallory-${revision}`), new Person(`victim-${revision}`)];
    await (await connect(victim, revision, () => {})).close();
    atHub.sub = 'victim-at-hub';
    let said = '';
    const client = await connect(mallory, revision, async (url) => {
      said = await victim.open(url);
      // Having failed, she opens it herself, and gets what is hers.
      atHub.sub = 'mallory-at-hub';
      await mallory.open(url);
    });
    expect(await list(client)).toBe('repositories of mallory-at-hub');
    expect(said).toContain('made for another person');
    await client.close();
  });
});
