import { Client } from 'crosspoint/client';
import { createLogin } from 'crosspoint/auth/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from './serve.ts';

let running: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  running = await serve((name, password) => (password === 'secret' ? { sub: name } : undefined), 0);
});
afterAll(() => running.close());

/** Fills in the pages as a person would, and returns the questions. */
function personCalled(name: string, asked: string[]): (page: URL) => Promise<void> {
  let cookie = '';
  return async (page) => {
    const post = async (fields: Record<string, string>): Promise<Response> => {
      const headers = { origin: page.origin, ...(cookie !== '' && { cookie }) };
      return fetch(page, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
    };
    const answer = await post({ action: 'login', username: name, password: 'secret' });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const html = await answer.text();
    asked.push(/<dt>With the rights<\/dt><dd>([^<]*)/.exec(html)?.[1] ?? '');
    const agreed = await post({ action: 'approve', token: /name="token" value="([^"]*)"/.exec(html)?.[1] ?? '' });
    await fetch(agreed.headers.get('location') ?? '');
  };
}

async function connectAs(name: string): Promise<{ client: Client; asked: string[] }> {
  const asked: string[] = [];
  const client = new Client({ name: 'notebook', version: '1.0.0' });
  const login = createLogin({
    serverUrl: running.url,
    clientName: 'Notebook',
    say: () => {},
    open: personCalled(name, asked),
  });
  await client.connect({ url: running.url, authProvider: login });
  return { client, asked };
}

const say = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> =>
  ((await client.callTool({ name, arguments: args })).content[0] as { text: string }).text;

test('nobody gets in without a token', async () => {
  const answer = await fetch(running.url, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toContain('resource_metadata=');
});

test('each user has notes of their own, and writing is asked for when it is needed', async () => {
  const ada = await connectAs('ada');
  expect(await say(ada.client, 'list_notes')).toBe('There are none.');
  expect(ada.asked).toEqual(['notes:read']);
  expect(await say(ada.client, 'add_note', { note: 'buy eggs' })).toBe('Added.');
  expect(ada.asked).toEqual(['notes:read', 'notes:read, notes:write']);
  expect(await say(ada.client, 'list_notes')).toBe('buy eggs');
  const bob = await connectAs('bob');
  expect(await say(bob.client, 'list_notes')).toBe('There are none.');
  await ada.client.close();
  await bob.client.close();
});
