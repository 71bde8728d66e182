import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, UnauthorizedError } from 'crosspoint/client';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import { serveBridge, type BridgeCommand } from '@crosspoint/gateway/program';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isRunning } from '../../../crosspoint/test/fixtures/stdio/compiled.ts';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { program } from '../../../gateway/test/programs.ts';
import { Running, pidsIn } from './running.ts';

const CHILD = ['--', process.execPath, program('child.mjs')];
const LOOPBACK = ['--listen', '127.0.0.1:0'];
const TOKEN_OF_ADA = 'ada-0123456789abcdef0123456789abcdef';
const TOKEN_OF_BOB = 'bob-0123456789abcdef0123456789abcdef';

let folder: string;
const at = (name: string, contents?: string): string => {
  const path = join(folder, name);
  if (contents !== undefined) {
    writeFileSync(path, contents);
    chmodSync(path, 0o600);
  }
  return path;
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridge-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The lines of a session file; the last one says that it is whole. */
function readAll(written: string): { lines: { kind?: string; hop?: string }[]; isComplete: boolean } {
  const lines = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind?: string; hop?: string });
  return { lines, isComplete: lines.at(-1)?.kind === 'end' };
}

const running: Running[] = [];
function start(args: readonly string[], env: Record<string, string> = {}): Running {
  const one = new Running(args, env);
  running.push(one);
  return one;
}
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.kill('SIGTERM');
    await one.ended;
  }
});

async function connected(url: string, token?: string): Promise<Client> {
  const client = new Client({ name: 'caller', version: '1.0.0' });
  await client.connect({ url, ...(token !== undefined && { authProvider: { token: () => token } }) });
  return client;
}

async function call(client: Client, name: string): Promise<string> {
  const [first] = (await client.callTool({ name })).content;
  return first?.type === 'text' ? first.text : '';
}

describe('the program', () => {
  it('refuses wrong arguments with 1 and starts nothing', async () => {
    const one = start(['--listen', '0.0.0.0:0', ...CHILD]);
    expect(await one.ended).toBe(1);
    expect(one.stderr).toContain('other machines could use the server as you');
    expect(one.stderr).toContain('--issuer URL and --audience URL');
    expect(one.stdout).toBe('');
  });

  it('serves the client on its stdin, and nothing but messages goes to stdout', async () => {
    const one = start(CHILD);
    const answer = await one.call('say');
    expect(answer).toMatchObject({ result: { content: [{ type: 'text', text: 'said' }] } });
    await until(() => one.stderr.includes('bell \\u{7}'));
    for (const line of one.stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('jsonrpc');
    one.endInput();
    expect(await one.ended).toBe(0);
  });

  it('serves HTTP: one process for all callers of this machine', async () => {
    const one = start([...LOOPBACK, ...CHILD]);
    const url = await one.address();
    const [first, second] = await Promise.all([connected(url), connected(url)]);
    expect(await call(first, 'pid')).toBe(await call(second, 'pid'));
    expect(one.stderr).toContain('all programs of this machine are one caller');
    await Promise.all([first.close(), second.close()]);
    expect((await fetch(new URL('/health', url))).status).toBe(200);
    expect(one.stdout).toBe('');
  });

  it('refuses other hosts and web pages, and HTTP+SSE unless it was asked for', async () => {
    const url = await start([...LOOPBACK, ...CHILD]).address();
    const page = await fetch(url, { method: 'POST', headers: { origin: 'https://evil.example' }, body: '{}' });
    expect(page.status).toBe(403);
    expect((await fetch(new URL('/sse', url))).status).toBe(404);
    const withSse = await start([...LOOPBACK, '--sse', ...CHILD]).address();
    const client = new Client({ name: 'old', version: '1.0.0' });
    await client.connect({ url: new URL('/sse', withSse), transport: 'sse' });
    expect(Number(await call(client, 'pid'))).toBeGreaterThan(0);
    await client.close();
  });

  it('says why it cannot listen', async () => {
    const url = new URL(await start([...LOOPBACK, ...CHILD]).address());
    const second = start(['--listen', `127.0.0.1:${url.port}`, ...CHILD]);
    expect(await second.ended).toBe(1);
    expect(second.stderr).toContain('another program listens there');
  });

  it.each([
    ['an option for programs', ['--max-children', '2', 'http://127.0.0.1:1/mcp'], 'is for a server that is a command'],
    ['an option for addresses', ['--login', ...CHILD], '--login is for a server at an address'],
    [
      'two logins',
      ['--login', '--header', 'Authorization=env:PATH', 'http://127.0.0.1:1/mcp'],
      'are two ways to log in',
    ],
    ['a store that is no database', ['--store', 'sqlite:ADDRESS', ...CHILD], 'cannot be opened'],
  ])('fails with 1 for %s', async (_what, args, message) => {
    const address = at('address', 'not-an-url!\n');
    const one = start(args.map((word) => word.replace('ADDRESS', address)));
    expect(await one.ended).toBe(1);
    expect(one.stderr).toContain(message);
    expect(one.stdout).toBe('');
  });

  it('says why something that it names cannot be used', async () => {
    const target = { kind: 'program', command: process.execPath, args: [program('child.mjs')] } as const;
    const http = { kind: 'http', address: { host: '127.0.0.1', port: 0, path: '/mcp', isLoopback: true } } as const;
    const faults: readonly (readonly [Partial<BridgeCommand>, string])[] = [
      [{ store: { kind: 'sqlite', path: '/no/such/folder/x.db' } }, 'does not exist'],
      [
        { store: { kind: 'redis', url: { from: 'arguments', value: 'redis://127.0.0.1:1' } } },
        'Redis cannot be reached',
      ],
      [{ face: { ...http, address: { ...http.address, host: '0.0.0.0', isLoopback: false } } }, 'lets others in'],
      [{ face: { ...http, address: { ...http.address, host: '0.0.0.0' } } }, 'not this machine alone'],
      [{ face: { ...http, allowedHosts: ['mcp.example.com'] } }, 'the allowed host mcp.example.com lets others in'],
      [{ keyFile: at('short-key', 'not-a-key!\n') }, 'has 10 bytes, and a key has at least 32'],
      [
        { face: { ...http, authentication: { kind: 'tokens', path: at('no-tokens', 'nonsense!\n') } } },
        'is not "NAME TOKEN"',
      ],
      [
        { face: { ...http, authentication: { kind: 'tokens', path: at('short', 'ada short\n') } } },
        'has 5 characters, and needs 32',
      ],
    ];
    for (const [parts, message] of faults)
      await expect(serveBridge({ target, face: http, log: 'quiet', ...parts })).rejects.toThrow(message);
  });
});

describe('a server that fails at its start', () => {
  it.each([{ face: [] }, { face: LOOPBACK }])(
    'tells its exit code and the end of its stderr to the client',
    async ({ face }) => {
      const key = at('start-key', 'sk-from-a-file-0002');
      const one = start([...face, '--env', `API_KEY=@${key}`, '--env', 'PLAIN=not-shown', ...CHILD, 'fails']);
      const told =
        face.length === 0
          ? JSON.stringify(await one.call('pid'))
          : await connected(await one.address()).then(
              () => '',
              (error: Error) => error.message,
            );
      expect(told).toContain('The process of the server exited with code 3.');
      expect(told).toContain('The database is missing.');
      expect(`${told}${one.stderr}${one.stdout}`).not.toMatch(/sk-from-a-file|not-shown|\p{Cc}\[31m/u);
    },
  );
});

describe('secrets', () => {
  it('of files and variables reach the server and are never printed', async () => {
    const key = at('key', 'sk-from-a-file-0001\n');
    const one = start([...LOOPBACK, '--log', 'verbose', '--env', `API_KEY=@${key}`, '--env', 'FROM_ENV', ...CHILD], {
      FROM_ENV: 'handed-on-value',
      NOT_FOR_CHILDREN: 'private',
    });
    const client = await connected(await one.address());
    const env = JSON.parse(await call(client, 'env')) as Record<string, string>;
    expect(env).toMatchObject({ API_KEY: 'sk-from-a-file-0001', FROM_ENV: 'handed-on-value' });
    expect(env['NOT_FOR_CHILDREN']).toBeUndefined();
    await call(client, 'say');
    await until(() => one.stderr.includes('bell'));
    const crash = await client.callTool({ name: 'crash' }).catch((error: Error) => error.message);
    expect(crash).toContain('The process of the server exited with code 7.');
    expect(crash).toContain('I cannot go on');
    expect(`${one.stderr}${JSON.stringify(crash)}`).not.toContain('sk-from-a-file');
    // The next call has a new process.
    expect(Number(await call(client, 'pid'))).toBeGreaterThan(0);
    await client.close();
  });

  it('that others can read are warned of', async () => {
    const path = at('open-key', 'sk-open-to-everybody');
    chmodSync(path, 0o644);
    const one = start([...LOOPBACK, '--env', `API_KEY=@${path}`, ...CHILD]);
    await one.address();
    expect(one.stderr).toContain('every user of this machine can read');
  });

  describe('for a server at an address', () => {
    let http: HttpServer;
    let url: string;
    const seen: (string | undefined)[] = [];
    beforeAll(async () => {
      const server = new McpServer({ name: 'remote', version: '1.0.0' });
      server.registerTool('who', {}, (ctx) => text(ctx.authInfo?.clientId ?? 'nobody'));
      const handler = createMcpHandler(server, {
        path: '/mcp',
        authenticate: (request) => {
          seen.push(request.header('authorization'), request.header('x-team'));
          return request.header('authorization') === 'Bearer upstream-token-1'
            ? { token: '', clientId: 'bridge', scopes: [] }
            : undefined;
        },
      });
      http = createServer((request, response) => void handler.node(request, response));
      await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    });
    afterAll(() => {
      http.closeAllConnections();
      http.close();
    });

    proves('M-IOP-069').it('are sent as headers, and what callers bring is not', async () => {
      const header = at('header', 'Bearer upstream-token-1\n');
      const tokens = at('tokens', `ada ${TOKEN_OF_ADA}\n`);
      const headers = ['--header', `Authorization=@${header}`, '--header', 'X-Team=blue'];
      const one = start([...LOOPBACK, '--token-file', tokens, ...headers, url]);
      const client = await connected(await one.address(), TOKEN_OF_ADA);
      expect(await call(client, 'who')).toBe('bridge');
      expect(new Set(seen)).toEqual(new Set(['Bearer upstream-token-1', 'blue']));
      expect(one.stderr).not.toContain('upstream-token-1');
      await client.close();
    });
  });
});

describe('callers with tokens', () => {
  it('have a process each, and strangers have none', async () => {
    const tokens = at('two-tokens', `# callers\nada ${TOKEN_OF_ADA}\nbob ${TOKEN_OF_BOB}\n`);
    const log = at('token-pids');
    const one = start([...LOOPBACK, '--token-file', tokens, '--env', `CHILD_LOG=${log}`, ...CHILD]);
    const url = await one.address();
    await expect(connected(url)).rejects.toThrow(UnauthorizedError);
    await expect(connected(url, 'x'.repeat(40))).rejects.toThrow(UnauthorizedError);
    expect(pidsIn(log)).toEqual([]);
    const [ada, bob, again] = await Promise.all(
      [TOKEN_OF_ADA, TOKEN_OF_BOB, TOKEN_OF_ADA].map((token) => connected(url, token)),
    );
    if (ada === undefined || bob === undefined || again === undefined) throw new Error('One is missing.');
    const pids = [await call(ada, 'pid'), await call(bob, 'pid'), await call(again, 'pid')];
    expect(pids[0]).toBe(pids[2]);
    expect(pids[0]).not.toBe(pids[1]);
    expect(one.stderr).not.toMatch(/0123456789abcdef/);
    await Promise.all([ada.close(), bob.close(), again.close()]);
  });
});

describe('a recording', () => {
  it.each([{ face: [] }, { face: LOOPBACK }])(
    'has both sides and the stderr of the server, without secrets',
    async ({ face }) => {
      const path = at(`session-${face.length}.jsonl`);
      const key = at('recorded-key', 'sk-from-a-file-0003');
      const one = start([...face, '--record', path, '--env', `API_KEY=@${key}`, ...CHILD]);
      if (face.length === 0) {
        await one.call('env');
        await one.call('say');
      } else {
        const client = await connected(await one.address());
        await call(client, 'env');
        await call(client, 'say');
        await client.close();
      }
      await until(() => one.stderr.includes('bell'));
      one.kill('SIGTERM');
      expect(await one.ended).toBe(0);
      const written = readFileSync(path, 'utf8');
      expect(written).not.toContain('sk-from-a-file');
      const { lines, isComplete } = readAll(written);
      expect(isComplete).toBe(true);
      const seen = new Set(lines.map(({ kind, hop }) => `${kind} ${hop}`));
      expect([...seen]).toEqual(expect.arrayContaining(['message client', 'message server', 'stderr server']));
      expect(statSync(path).mode & 0o077).toBe(0);
      const again = start([...face, '--record', path, ...CHILD]);
      expect(await again.ended).toBe(1);
      expect(again.stderr).toContain('exists already. Choose another name');
      expect(readFileSync(path, 'utf8')).toBe(written);
    },
  );
});

describe('the bound of processes', () => {
  it('lets an unused process make room, and is an error after the wait while all are used', async () => {
    const tokens = at('bounded-tokens', `ada ${TOKEN_OF_ADA}\nbob ${TOKEN_OF_BOB}\n`);
    const bounds = ['--max-children', '1', '--wait-seconds', '5'];
    const url = await start([...LOOPBACK, '--token-file', tokens, ...bounds, ...CHILD]).address();
    const [ada, bob] = [await connected(url, TOKEN_OF_ADA), await connected(url, TOKEN_OF_BOB)];
    const pids = [await call(ada, 'pid'), await call(bob, 'pid'), await call(ada, 'pid')];
    expect(new Set(pids).size).toBe(3);
    const leaves = new AbortController();
    const hanging = ada.callTool({ name: 'hang' }, { signal: leaves.signal }).catch(() => {});
    const refused = await bob.callTool({ name: 'pid' }).catch((error: Error) => error.message);
    expect(refused).toContain(
      'The server runs in 1 process, which is as many as there may be, and none ended within 5000 ms.',
    );
    // As soon as the call is over, its process makes room for the one who waits.
    const waiting = call(bob, 'pid');
    await new Promise((resolve) => setTimeout(resolve, 300));
    leaves.abort();
    await hanging;
    expect(Number(await waiting)).toBeGreaterThan(0);
    await Promise.all([ada.close(), bob.close()]);
  });
});

describe('the end of the program', () => {
  async function serving(how: string, log: string, env: Record<string, string> = {}): Promise<Running> {
    const one = start(['--env', `CHILD_LOG=${log}`, ...CHILD, how], env);
    const { result } = (await one.call('grandchild')) as { result: { content: [{ text: string }] } };
    expect(pidsIn(log)).toContain(Number(result.content[0].text));
    expect(pidsIn(log).every(isRunning)).toBe(true);
    return one;
  }

  it('by a signal or the end of stdin is in order, and leaves no process', async () => {
    const ends = ['SIGTERM', 'SIGINT', 'SIGHUP', 'stdin'] as const;
    const work = ends.map(async (how) => {
      const log = at(`pids-${how}`);
      const one = await serving('stubborn', log);
      if (how === 'stdin') one.endInput();
      else one.kill(how);
      expect(await one.ended).toBe(0);
      await until(() => !pidsIn(log).some(isRunning));
    });
    await Promise.all(work);
  });

  it('by a second signal is at once, and leaves no process', async () => {
    const log = at('pids-second');
    const one = await serving('stubborn', log);
    const from = Date.now();
    one.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
    one.kill('SIGTERM');
    expect(await one.ended).toBe(130);
    expect(Date.now() - from).toBeLessThan(1800);
    await until(() => !pidsIn(log).some(isRunning));
  });

  it('by a mistake of the program leaves no process', async () => {
    const log = at('pids-crash');
    const sign = at('mistake-now');
    const mistake = at(
      'mistake.mjs',
      `import { existsSync } from 'node:fs'; setInterval(() => { if (existsSync('${sign}')) throw new Error('A mistake of the program.'); }, 20).unref();`,
    );
    const one = await serving('stubborn', log, { NODE_OPTIONS: `--import ${mistake}` });
    at('mistake-now', '');
    expect(await one.ended).toBe(1);
    expect(one.stderr).toContain('A mistake of the program.');
    await until(() => !pidsIn(log).some(isRunning));
  });

  it('by SIGKILL leaves no process, though it cannot do anything about it: not even one that ignores the end of stdin and SIGTERM', async () => {
    const work = ['serve', 'stubborn'].map(async (how) => {
      const log = at(`pids-kill-${how}`);
      const one = await serving(how, log);
      one.kill('SIGKILL');
      expect(await one.ended).toBe('SIGKILL');
      await until(() => !pidsIn(log).some(isRunning));
    });
    await Promise.all(work);
  });
});
