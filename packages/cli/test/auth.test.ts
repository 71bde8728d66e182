import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve } from '../../../examples/protected-notes/serve.ts';
import { crosspoint, DEMO } from './crosspoint.ts';

let running: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  running = await serve((name, password) => (password === 'secret' ? { sub: name } : undefined), 0);
});
afterAll(() => running.close());

/** Fills in the pages as a person would, once, when stderr shows their address. */
function person(): (stderr: string) => void {
  let isDone = false;
  return (stderr) => {
    const [address] = /http:\/\/\S+authorize\S+(?=\s)/.exec(stderr) ?? [];
    if (address === undefined || isDone) return;
    isDone = true;
    void visit(new URL(address));
  };
}

async function visit(page: URL): Promise<void> {
  let cookie = '';
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
}

it('logs in, uses the login, and forgets it', async () => {
  const { home, run } = crosspoint();
  const before = await run(['tools', 'ls', running.url]);
  expect({ code: before.code, hint: before.error().hint }).toEqual({
    code: 3,
    hint: 'crosspoint auth login SERVER logs in.',
  });
  expect((await run(['auth', 'status', running.url])).code).toBe(3);

  const login = await run(['auth', 'login', running.url, '--no-browser'], { onstderr: person() });
  expect(login.code).toBe(0);
  expect(login.json()).toMatchObject({ isLoggedIn: true, scopes: expect.any(Array) });

  const file = join(home, 'credentials.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const kept = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
  const [, token = 'none'] = /"access_token":"([^"]+)"/.exec(kept) ?? [];
  const status = await run(['auth', 'status', running.url]);
  expect(status.code).toBe(0);
  for (const { stdout, stderr } of [login, status]) expect(`${stdout}${stderr}`).not.toContain(token);

  expect((await run(['tools', 'ls', running.url])).code).toBe(0);
  expect((await run(['auth', 'logout', running.url])).json()).toMatchObject({ wasLoggedIn: true });
  expect((await run(['auth', 'logout', running.url])).json()).toMatchObject({ wasLoggedIn: false });
  expect((await run(['tools', 'ls', running.url])).code).toBe(3);
});

it('ends a login that nobody finishes when its time is over', async () => {
  const { run } = crosspoint();
  const { code, error } = await run(['auth', 'login', running.url, '--no-browser', '--timeout', '2']);
  expect({ code, ending: error().ending }).toEqual({ code: 9, ending: 'timeout' });
});

it('shows the steps of a login with the rule behind each', async () => {
  const { run } = crosspoint();
  const { code, json } = await run(['auth', 'debug', running.url]);
  expect(code).toBe(0);
  const steps = json().steps as { step: string; rule?: string }[];
  expect(steps.length).toBeGreaterThan(4);
  expect(steps.some(({ rule }) => rule?.includes('RFC 9728') === true)).toBe(true);
});

it('refuses a program, which has no login', async () => {
  const { run } = crosspoint();
  const { code, error } = await run(['auth', 'login', ...DEMO]);
  expect({ code, message: error().message }).toEqual({ code: 1, message: expect.stringMatching(/is a program/) });
});
