import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../../../examples/protected-notes/serve.ts';
import type { Host } from '../../src/host.ts';
import { closeHosts, openHost } from '../host/opened.ts';

let running: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  running = await serve((name, password) => (password === 'secret' ? { sub: name } : undefined), 0);
});
afterAll(() => running.close());
afterEach(closeHosts);

/** Fills in the pages as a person would. */
function person(): (page: URL) => Promise<void> {
  let cookie = '';
  return async (page) => {
    const post = (fields: Record<string, string>): Promise<Response> =>
      fetch(page, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: page.origin, ...(cookie !== '' && { cookie }) },
        redirect: 'manual',
      });
    const answer = await post({ action: 'login', username: 'ada', password: 'secret' });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const token = /name="token" value="([^"]*)"/.exec(await answer.text())?.[1] ?? '';
    const agreed = await post({ action: 'approve', token });
    await fetch(agreed.headers.get('location') ?? '');
  };
}

/** A host with the protected notes. Logins are answered in this order. */
async function withNotes(...answers: ('allow' | 'deny')[]): Promise<{ host: Host; states: string[] }> {
  const host = openHost({ policy: { default: 'allow' }, connectMs: 5000, openUrl: person() });
  const states: string[] = [];
  host.watch((event) => event.type === 'server' && states.push(event.state.status));
  host.inbox.watch((change) => {
    if (change.type === 'asked') host.inbox.answer(change.item.id, { action: answers.shift() ?? 'deny' });
  });
  const notes = host.addServer('notes', { url: running.url });
  await expect.poll(() => notes.state.status).toBe('ready');
  return { host, states };
}

const say = async (host: Host, name: string, args = {}): Promise<unknown> =>
  (await host.callTool(`notes__${name}`, args)).content[0];

describe('a server that asks for more rights in the middle of a call', () => {
  it('is ready again after the login, and for every further call', async () => {
    const { host, states } = await withNotes('allow', 'allow');
    expect(await say(host, 'add_note', { note: 'buy eggs' })).toMatchObject({ text: 'Added.' });
    expect(states.slice(-3)).toEqual(['ready', 'needs-login', 'ready']);
    expect(await say(host, 'list_notes')).toMatchObject({ text: 'buy eggs' });
  });

  it('still does what the user has allowed, after more was refused', async () => {
    const { host } = await withNotes('allow', 'deny');
    await expect(say(host, 'add_note', { note: 'no' })).rejects.toThrow();
    expect(host.servers.get('notes')?.state.status).toBe('ready');
    expect(await say(host, 'list_notes')).toMatchObject({ type: 'text' });
  });
});

it('needs a login when the first one is refused', async () => {
  const refusing = openHost({ policy: { default: 'allow' }, openUrl: person() });
  refusing.inbox.watch(
    (change) => change.type === 'asked' && refusing.inbox.answer(change.item.id, { action: 'deny' }),
  );
  const notes = refusing.addServer('notes', { url: running.url });
  await expect.poll(() => notes.state).toMatchObject({ status: 'needs-login', cause: { name: 'LoginRefusedError' } });
});

it('ends with its host while its page is being opened', async () => {
  let isOpening = false;
  const host = openHost({
    policy: { default: 'allow' },
    openUrl: () => {
      isOpening = true;
      return new Promise(() => {});
    },
    responders: [() => ({ action: 'allow' })],
  });
  const notes = host.addServer('notes', { url: running.url });
  await expect.poll(() => isOpening).toBe(true);
  await host.close();
  expect(notes.state.status).toBe('closed');
});
