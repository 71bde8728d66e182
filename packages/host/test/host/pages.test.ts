import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import type { Host } from '../../src/host.ts';
import type { HostOptions } from '../../src/host-options.ts';
import { answering, closeHosts, openHost } from './opened.ts';

afterEach(closeHosts);

const PROGRAM = fileURLToPath(new URL('../programs/asker.mjs', import.meta.url));
const URL_GIVEN = 'https://pay.example/42';

async function openAsker(
  options: Partial<HostOptions> = {},
): Promise<{ host: Host; opened: string[]; told: string[] }> {
  const opened: string[] = [];
  const told: string[] = [];
  const host = openHost({
    servers: { asker: { command: process.execPath, args: [PROGRAM, '--revisions', '2025-11-25'] } },
    policy: { default: { call: 'allow' } },
    openUrl: ({ href }) => void opened.push(href),
    ...options,
  });
  host.watch((event) => event.type === 'page' && told.push(`${event.page.url} ${event.isOver ? 'over' : 'open'}`));
  await host.settled();
  return { host, opened, told };
}

it('a page that the user agreed to is pending until the server reports it as finished, and can be opened again', async () => {
  const { host, opened, told } = await openAsker();
  answering(host, 'url', () => ({ action: 'accept' }));
  const call = host.callTool('asker__page', { url: URL_GIVEN });
  await vi.waitFor(() => expect(host.pages()).toMatchObject([{ server: 'asker', url: URL_GIVEN }]));
  const [page] = host.pages();
  expect(page?.call).toMatchObject({ tool: 'asker__page' });
  expect(await host.openPage(page?.id ?? '')).toBe(true);
  expect(await host.openPage('another')).toBe(false);
  expect(opened).toEqual([URL_GIVEN, URL_GIVEN]);
  await host.callTool('asker__finish');
  expect((await call).content).toEqual([{ type: 'text', text: 'page: paid' }]);
  expect(host.pages()).toEqual([]);
  expect(told).toEqual([`${URL_GIVEN} open`, `${URL_GIVEN} over`]);
});

it('a page is not opened without consent, and ends with its call', async () => {
  const { host, opened, told } = await openAsker();
  const actions = ['decline' as const, 'accept' as const];
  answering(host, 'url', () => ({ action: actions.shift() ?? 'cancel' }));
  expect((await host.callTool('asker__page', { url: URL_GIVEN })).content).toMatchObject([{ text: 'page: decline' }]);
  expect(opened).toEqual([]);
  const call = host.callTool('asker__page', { url: URL_GIVEN });
  const failed = expect(call).rejects.toThrow();
  await vi.waitFor(() => expect(host.pages()).toHaveLength(1));
  host.cancel(host.calls()[0]?.id ?? '');
  await failed;
  expect(host.pages()).toEqual([]);
  expect(told).toEqual([`${URL_GIVEN} open`, `${URL_GIVEN} over`]);
});

it('a page ends with its server', async () => {
  const { host } = await openAsker();
  answering(host, 'url', () => ({ action: 'accept' }));
  const failed = expect(host.callTool('asker__page', { url: URL_GIVEN })).rejects.toThrow();
  await vi.waitFor(() => expect(host.pages()).toHaveLength(1));
  await host.servers.remove('asker');
  expect(host.pages()).toEqual([]);
  await failed;
});

it('a page is opened by the program of this machine where the host has no way of its own; without one the server is told', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'host-browser-'));
  const path = process.env['PATH'];
  const problems: string[] = [];
  const { host } = await openAsker({
    openUrl: undefined as never,
    onproblem: ({ message }) => void problems.push(message),
  });
  answering(host, 'url', () => ({ action: 'accept' }));
  try {
    process.env['PATH'] = join(folder, 'nothing');
    expect((await host.callTool('asker__page', { url: URL_GIVEN })).content).toMatchObject([{ text: 'page: cancel' }]);
    expect(problems.join()).toContain(`The page ${URL_GIVEN} could not be opened.`);
    const seen = join(folder, 'seen');
    for (const name of ['xdg-open', 'open']) {
      await writeFile(join(folder, name), `#!/bin/sh\necho "$1" > '${seen}'\n`);
      await chmod(join(folder, name), 0o755);
    }
    process.env['PATH'] = folder;
    const call = host.callTool('asker__page', { url: URL_GIVEN });
    await vi.waitFor(async () => expect(await readFile(seen, 'utf8')).toBe(`${URL_GIVEN}\n`), 5000);
    await host.callTool('asker__finish');
    expect((await call).content).toMatchObject([{ text: 'page: paid' }]);
  } finally {
    process.env['PATH'] = path;
    await rm(folder, { recursive: true, force: true });
  }
});
