import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serve } from '../../../../examples/protected-notes/serve.ts';
import type { Host } from '../../src/host.ts';
import type { ProgramServer } from '../../src/host-options.ts';
import { answering, child, closeHosts, openHost } from './opened.ts';

const require = createRequire(import.meta.url);
const published = (name: string): string => {
  const path = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(path, '..', 'dist', 'index.js');
};
const LOOPBACK = fileURLToPath(new URL('../../../../scripts/conformance/loopback.mjs', import.meta.url));

let folder: string;
let everything: { readonly process: ChildProcess; readonly url: string };
let login: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-'));
  await writeFile(join(folder, 'hello.txt'), 'hello');
  login = await serve((name, password) => (password === 'secret' ? { sub: name } : undefined), 0);
  everything = await everythingOverHttp();
}, 60_000);

afterAll(async () => {
  await closeHosts();
  everything?.process.kill();
  await login?.close();
  await rm(folder, { recursive: true, force: true });
});

async function everythingOverHttp(): Promise<typeof everything> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const args = ['--import', LOOPBACK, published('server-everything'), 'streamableHttp'];
  const env = { ...process.env, PORT: String(port) };
  const running = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'ignore'] });
  const url = `http://127.0.0.1:${port}/mcp`;
  await vi.waitFor(() => fetch(url, { method: 'OPTIONS' }), { timeout: 30_000, interval: 100 });
  return { process: running, url };
}

const revision = (id: string): ProgramServer => child(`r${id}`, '--revisions', id);

function twelve(): Record<string, ProgramServer> {
  return {
    everything: { command: process.execPath, args: [published('server-everything'), 'stdio'] },
    everythingHttp: { url: everything.url },
    files: { command: process.execPath, args: [published('server-filesystem'), folder], roots: [folder] },
    oldest: revision('2024-11-05'),
    batches: revision('2025-03-26'),
    structured: revision('2025-06-18'),
    tasks: revision('2025-11-25'),
    newest: revision('2026-07-28'),
    silent: child('silent', '--silent'),
    crashing: child('crashing', '--exit'),
    // About 200 kB of definitions.
    large: child('large', '--tools', '300', '--words', '120'),
    login: { url: login.url },
  };
}

const HEALTHY = [
  'everything',
  'everythingHttp',
  'files',
  'oldest',
  'batches',
  'structured',
  'tasks',
  'newest',
  'large',
];

function childrenOf(host: Host): number[] {
  return host.servers.list().flatMap(({ client }) => {
    const { pid } = (client?.transport ?? {}) as { pid?: number | null };
    return typeof pid === 'number' ? [pid] : [];
  });
}

describe('twelve servers', () => {
  it('are each in the right state, and those that are healthy wait for none of the others', async () => {
    /** By server, the tools that the catalogue had at the moment when the server became ready. */
    const listed = new Map<string, number>();
    const host = openHost({ servers: twelve(), policy: { default: 'allow' }, connectMs: 25_000, folder });
    const asked = answering(host, 'login', () => ({ action: 'deny' }));
    answering(host, 'roots', () => ({ action: 'allow' }));
    host.watch((event) => {
      if (event.type === 'server' && event.state.status === 'ready' && !listed.has(event.server))
        listed.set(event.server, host.catalogue.tools().filter(({ server }) => server === event.server).length);
    });
    await vi.waitFor(() => expect([...listed.keys()].sort()).toEqual([...HEALTHY].sort()), 24_000);
    // A server that is ready has its tools in the catalogue: there is nothing more to wait for.
    for (const [server, tools] of listed) expect(tools, server).toBeGreaterThan(0);
    // The silent server is still being waited for: nobody else was.
    expect(host.servers.get('silent')?.state.status).toBe('connecting');

    const tools = host.catalogue.tools();
    for (const server of HEALTHY)
      expect(
        tools.some((tool) => tool.server === server),
        server,
      ).toBe(true);
    expect(tools.filter(({ server }) => server === 'large')).toHaveLength(302);
    expect(JSON.stringify(host.catalogue.listingOf('large')).length).toBeGreaterThan(200_000);

    const results = await Promise.all([
      host.callTool('everything__echo', { message: 'over stdio' }),
      host.callTool('everythingHttp__echo', { message: 'over HTTP' }),
      host.callTool('files__read_text_file', { path: join(folder, 'hello.txt') }),
      ...['oldest', 'batches', 'structured', 'tasks', 'newest', 'large'].map((server) =>
        host.callTool(`${server}__tool_1`),
      ),
    ]);
    expect(results.map(({ content }) => (content[0] as { text: string }).text)).toEqual([
      'Echo: over stdio',
      'Echo: over HTTP',
      'hello',
      'r2024-11-05 1',
      'r2025-03-26 1',
      'r2025-06-18 1',
      'r2025-11-25 1',
      'r2026-07-28 1',
      'large 1',
    ]);
    const spoken = ['oldest', 'batches', 'structured', 'tasks', 'newest'].map((name) =>
      host.servers.get(name)?.client?.getNegotiatedProtocolVersion(),
    );
    expect(spoken).toEqual(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']);

    await vi.waitFor(() => expect(host.servers.get('login')?.state.status).toBe('needs-login'), 10_000);
    expect(asked).toMatchObject([{ from: { server: 'login' }, question: { host: new URL(login.url).host } }]);
    await vi.waitFor(() => {
      const { state } = host.servers.get('crashing') ?? {};
      expect(state?.status === 'failed' && state.cause.message).toContain('cannot open the database');
    }, 10_000);

    const pids = childrenOf(host);
    expect(pids.length).toBeGreaterThanOrEqual(8);
    await host.close();
    for (const pid of pids) expect(() => process.kill(pid, 0), String(pid)).toThrow('ESRCH');
    expect(host.servers.list().map(({ state }) => state.status)).toEqual(Array.from({ length: 12 }, () => 'closed'));
  }, 60_000);

  it('that need a login are used once the user has logged in', async () => {
    const pages: URL[] = [];
    const host = openHost({
      servers: { login: { url: login.url } },
      policy: { default: 'allow' },
      openUrl: async (page) => {
        pages.push(page);
        await logIn(page);
      },
    });
    answering(host, 'login', () => ({ action: 'allow' }));
    await vi.waitFor(() => expect(host.servers.get('login')?.state.status).toBe('ready'), 15_000);
    expect(pages).toHaveLength(1);
    expect((await host.callTool('login__list_notes')).content).toEqual([{ type: 'text', text: 'There are none.' }]);
  }, 30_000);
});

/** Fills in the pages of the example server as a person would. */
async function logIn(page: URL): Promise<void> {
  const post = (fields: Record<string, string>, cookie = ''): Promise<Response> =>
    fetch(page, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: page.origin, ...(cookie !== '' && { cookie }) },
      redirect: 'manual',
    });
  const answer = await post({ action: 'login', username: 'ada', password: 'secret' });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const token = /name="token" value="([^"]*)"/.exec(await answer.text())?.[1] ?? '';
  const agreed = await post({ action: 'approve', token }, cookie);
  await fetch(agreed.headers.get('location') ?? '');
}
