import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryStore } from 'crosspoint/stores';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { readConfiguration } from '../../src/config/files/read-configuration.ts';
import type { ServerEntry } from '../../src/config/server-entry.ts';
import { MemorySecrets } from '../../src/secrets/memory-secrets.ts';
import { answering, closeHosts, openHost } from './opened.ts';

const PROGRAM = fileURLToPath(new URL('../programs/server.mjs', import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'configured-')));
});
afterEach(async () => {
  await closeHosts();
  await rm(folder, { recursive: true, force: true });
});

const server = (...args: string[]) => ({ command: process.execPath, args: [PROGRAM, ...args] });

/** The repository's configuration, as it is read from the disk. */
async function repository(servers: object): Promise<Awaited<ReturnType<typeof readConfiguration>>> {
  const project = join(folder, 'project');
  await mkdir(project, { recursive: true });
  await writeFile(join(project, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  return readConfiguration({ folder: project, home: join(folder, 'home'), formats: ['claude-code'], env: {} });
}

describe('servers of a repository', () => {
  it('start neither before their file is trusted nor after it changed', async () => {
    const store = memoryStore();
    const first = await repository({ mine: server('--name', 'mine') });
    const host = openHost({ store, servers: first.entries });
    const asked = answering(host, 'start', () => ({ action: 'allow' }));
    await host.settled();
    expect(host.servers.get('mine')?.state).toMatchObject({
      status: 'pending-approval',
      reason: expect.stringContaining('not trusted') as string,
    });
    expect(asked).toEqual([]);

    const [file] = first.files;
    if (file !== undefined) await host.trust.grant(file);
    host.servers.get('mine')?.restart();
    await vi.waitFor(() => expect(host.servers.get('mine')?.state.status).toBe('ready'), 10_000);
    expect(asked).toHaveLength(1);

    const changed = await repository({
      mine: server('--name', 'mine', '--tools', '9'),
      more: server('--name', 'more'),
    });
    await host.servers.apply(changed.entries);
    await host.settled();
    expect(host.servers.list().map(({ name, state }) => [name, state.status])).toEqual([
      ['mine', 'pending-approval'],
      ['more', 'pending-approval'],
    ]);
    expect(host.servers.get('mine')?.state).toMatchObject({
      reason: expect.stringContaining('has changed since it was trusted') as string,
    });
    expect(host.catalogue.tools()).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it('are never trusted by what their own file says', async () => {
    const { entries, files } = await repository({
      mine: { ...server('--name', 'mine'), isTrusted: true, trusted: true },
    });
    const host = openHost({
      servers: entries,
      policy: { rules: [{ effect: 'allow', annotations: { readOnly: true } }], default: { start: 'allow' } },
    });
    const asked = answering(host, 'call', () => ({ action: 'deny' }));
    for (const file of files) await host.trust.grant(file);
    host.servers.get('mine')?.restart();
    await vi.waitFor(() => expect(host.servers.get('mine')?.state.status).toBe('ready'), 10_000);
    await expect(host.callTool('mine__tool_0')).rejects.toThrow('refused');
    expect(asked).toHaveLength(1);
  });
});

describe('starting a server of a file', () => {
  const entry = (...args: string[]): ServerEntry => ({
    name: 'one',
    reach: { type: 'stdio', ...server('--name', 'one', ...args) },
    origin: { format: 'crosspoint', scope: 'user', file: '/home/user/crosspoint.json' },
  });

  proves('M-ASEC-039').it('shows the whole command first, and again when it changed', async () => {
    const host = openHost({ servers: [entry()] });
    const asked = answering(host, 'start', () => ({ action: 'allow' }));
    await vi.waitFor(() => expect(host.servers.get('one')?.state.status).toBe('ready'), 10_000);
    host.servers.get('one')?.restart();
    await vi.waitFor(() => expect(host.servers.get('one')?.state.status).toBe('ready'), 10_000);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.question).toMatchObject({
      isChanged: false,
      target: expect.stringContaining(`${PROGRAM} --name one`) as string,
    });
    await host.servers.change(entry('--tools', '1'));
    await vi.waitFor(() => expect(host.servers.get('one')?.state.status).toBe('ready'), 10_000);
    expect(asked[1]?.question).toMatchObject({ isChanged: true });
  });

  it('is refused where the user says no, and asked again on demand', async () => {
    const host = openHost({ servers: [entry()] });
    const answers = ['deny', 'allow'] as const;
    let times = 0;
    answering(host, 'start', () => ({ action: answers[times++] ?? 'deny' }));
    await vi.waitFor(() =>
      expect(host.servers.get('one')?.state).toMatchObject({
        status: 'pending-approval',
        reason: 'The user did not allow it.',
      }),
    );
    host.servers.get('one')?.restart();
    await vi.waitFor(() => expect(host.servers.get('one')?.state.status).toBe('ready'), 10_000);
  });
});

describe('values that a configuration needs', () => {
  it('are asked for once, kept, given to the server alone, and appear nowhere else', async () => {
    const store = memoryStore();
    const secrets = new MemorySecrets();
    await secrets.set('api', 'sk-from-the-keychain');
    const program = 'console.error(process.env.TOKEN, process.env.API); process.exit(1)';
    const entry: ServerEntry = {
      name: 'one',
      reach: {
        type: 'stdio',
        command: process.execPath,
        args: ['-e', program],
        env: { TOKEN: '${input:token}', API: '${secret:api}' },
      },
      origin: { format: 'crosspoint', scope: 'program' },
    };
    const lines: string[] = [];
    const open = () => {
      const host = openHost({
        store,
        secrets,
        servers: [entry],
        retry: { attempts: 1 },
        inputs: [{ id: 'token', type: 'text', isSecret: true, title: 'The token' }],
      });
      host.watch((event) => event.type === 'stderr' && lines.push(event.line));
      return { host, asked: answering(host, 'input', () => ({ action: 'accept', value: 'tok-typed-by-the-user' })) };
    };
    const first = open();
    // A program that ends at once may be started a second time: its first line counts.
    const told = (): Promise<void> =>
      vi.waitFor(() => expect(lines[0]).toBe('tok-typed-by-the-user sk-from-the-keychain'), 10_000);
    await told();
    expect(first.asked).toMatchObject([{ from: { server: 'one' }, question: { title: 'The token', isSecret: true } }]);
    const written: string[] = [];
    for await (const line of first.host.audit.export()) written.push(line);
    expect(written.join('\n')).not.toMatch(/typed-by-the-user|from-the-keychain/);
    await first.host.close();
    lines.length = 0;
    const second = open();
    await told();
    expect(second.asked).toEqual([]);
  });

  it('that nobody gives leave the server waiting, and nothing is started', async () => {
    const entry: ServerEntry = {
      name: 'one',
      reach: { type: 'stdio', command: process.execPath, args: ['-e', 'console.error(1)', '${input:token}'] },
      origin: { format: 'crosspoint', scope: 'program' },
    };
    const host = openHost({ servers: [entry] });
    answering(host, 'input', () => ({ action: 'cancel' }));
    const state = await vi.waitFor(() => {
      const found = host.servers.get('one')?.state;
      expect(found?.status).toBe('pending-approval');
      return found;
    });
    expect(state).toMatchObject({ reason: expect.stringContaining('was asked for and not given') as string });
  });

  it('that are not there are an error that names them, and not tried again', async () => {
    const entry: ServerEntry = {
      name: 'one',
      reach: { type: 'stdio', command: process.execPath, args: ['${env:NO_SUCH_VARIABLE_HERE}'] },
      origin: { format: 'crosspoint', scope: 'program' },
    };
    const host = openHost({ servers: [entry] });
    await host.settled();
    const state = host.servers.get('one')?.state;
    expect(state?.status === 'failed' && state.cause.message).toContain('NO_SUCH_VARIABLE_HERE');
    expect(state).not.toHaveProperty('retryAt');
  });
});
