import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { OutboundError, readPastedCallback } from '../../../../src/auth/index.ts';
import { createLogin, LoopbackAgent } from '../../../../src/auth/node.ts';
import { canOpenBrowser, openBrowser } from '../../../../src/auth/client/login/browser-login-node.ts';
import { proves } from '../../../requirements/proves.ts';
import { createWorld, failureOf, use, type World } from '../world.ts';
import { until } from '../../../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'login-'));
const worlds: World[] = [];
async function made(...args: Parameters<typeof createWorld>): Promise<World> {
  const world = await createWorld(...args);
  worlds.push(world);
  return world;
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a browser does: follows the page to where it leads. */
async function browse(page: URL): Promise<Response> {
  return fetch(page);
}

describe('the ready login', () => {
  it('goes through the browser and back to a free port of this machine', async () => {
    const world = await made();
    let shown: Promise<string> | undefined;
    const authProvider = createLogin({
      serverUrl: world.mcp,
      clientName: 'Test',
      open: (page) => void (shown = browse(page).then((response) => response.text())),
    });
    expect(await use(world, authProvider)).toBe('a user');
    const [redirect] = world.seen('POST /register')[0]!.json['redirect_uris'] as string[];
    expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const html = await shown;
    expect(html).toContain('You can close this window');
    expect(html).not.toContain('code-');
    await expect(fetch(redirect!)).rejects.toThrow();
  });

  it('takes the port that was registered, and registers again when that is in use', async () => {
    const world = await made({ refreshTokens: 'none' });
    const authProvider = createLogin({ serverUrl: world.mcp, clientName: 'Test', open: (page) => void browse(page) });
    const again = async (): Promise<void> => {
      world.expireAll();
      await use(world, authProvider);
    };
    await use(world, authProvider);
    await again();
    expect(world.seen('POST /register')).toHaveLength(1);
    const port = Number(new URL(world.seen('GET /authorize')[0]?.query.get('redirect_uri') ?? '').port);
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
    await again();
    squatter.close();
    expect(world.seen('POST /register')).toHaveLength(2);
  });

  it('takes the pasted address where the browser is on another machine', async () => {
    const world = await made();
    const said: string[] = [];
    const pasted = ['not an address', 'code=1', ''];
    const authProvider = createLogin({
      serverUrl: world.mcp,
      clientName: 'Test',
      open: 'print',
      say: (message) => said.push(message),
      paste: async () => {
        const next = pasted.shift() ?? '';
        if (next !== '') return next;
        const page = /http\S+authorize\S+/.exec(said.join('\n'))?.[0] ?? '';
        const response = await fetch(page, { redirect: 'manual' });
        return response.headers.get('location') ?? '';
      },
    });
    expect(await use(world, authProvider)).toBe('a user');
    expect(said[0]).toContain('open this address');
    expect(said.slice(1)).toHaveLength(2);
  });

  it('ends when nobody logs in, and the port is free again', async () => {
    const world = await made();
    const authProvider = createLogin({ serverUrl: world.mcp, clientName: 'Test', open: () => {}, timeoutMs: 100 });
    expect((await failureOf(use(world, authProvider))).fault).toBe('cancelled');
    const redirect = world.seen('POST /register')[0]?.json['redirect_uris'] as string[];
    await expect(fetch(redirect[0]!)).rejects.toThrow();
  });

  it('may take longer than connecting may', async () => {
    const { Client } = await import('../../../../src/client/index.ts');
    const { ManualClock } = await import('../../../../src/testing/index.ts');
    const clock = new ManualClock();
    const world = await made();
    const authProvider = createLogin({
      serverUrl: world.mcp,
      clientName: 'Test',
      open: async (page) => {
        await clock.advance(10 * 60_000);
        void browse(page);
      },
    });
    const client = new Client({ name: 'test', version: '1.0.0' }, { clock, timeouts: { connectMs: 1000 } });
    await client.connect({ url: world.mcp, authProvider });
    expect((await client.listTools()).tools).toHaveLength(1);
    await client.close();
  });
});

describe('the address that the browser comes back to', () => {
  it('hears nothing but the answer to its own question', async () => {
    const agent = new LoopbackAgent({ open: () => {} });
    const redirect = await agent.begin([]);
    const answer = agent.visit(new URL('https://as.example/authorize?state=right'));
    const status = async (url: string, init?: RequestInit): Promise<number> => (await fetch(url, init)).status;
    expect(await status(`${redirect}?code=evil&state=wrong`)).toBe(400);
    expect(await status(`${redirect}?code=evil`)).toBe(400);
    expect(await status(`${redirect}?code=x&state=right`, { method: 'POST' })).toBe(404);
    expect(await status(`${new URL(redirect).origin}/other?code=x&state=right`)).toBe(404);
    expect(await status(`${redirect}?code=good&state=right`)).toBe(200);
    expect((await answer).get('code')).toBe('good');
    await agent.end();
  });

  it('is not reached under another name', async () => {
    const { request } = await import('node:http');
    const agent = new LoopbackAgent({ open: () => {} });
    const redirect = new URL(await agent.begin([]));
    const answer = agent.visit(new URL('https://as.example/authorize?state=right'));
    const status = await new Promise<number | undefined>((resolve) => {
      const options = {
        host: '127.0.0.1',
        port: redirect.port,
        path: '/callback?code=x&state=right',
        headers: { Host: 'evil.example' },
      };
      request(options, (response) => resolve(response.statusCode)).end();
    });
    expect(status).toBe(404);
    await fetch(`${redirect.href}?code=good&state=right`);
    await answer;
    await agent.end();
  });

  it.each(['//', '/\\\\', '//:0', 'http://[', '*', '/callback%', '//callback?code=x&state=right'])(
    'answers a request for %s, and goes on',
    async (path) => {
      const agent = new LoopbackAgent({ open: () => {} });
      const redirect = new URL(await agent.begin([]));
      const answer = agent.visit(new URL('https://as.example/authorize?state=right'));
      for (const host of [redirect.host, 'evil.example']) {
        const text = await new Promise<string>((resolve, reject) => {
          let read = '';
          const socket = connect(Number(redirect.port), '127.0.0.1', () =>
            socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
          );
          socket.on('data', (chunk: Buffer) => (read += chunk.toString()));
          socket.on('close', () => resolve(read));
          socket.on('error', reject);
        });
        expect(text).toMatch(/^HTTP\/1\.1 404 /);
      }
      await fetch(`${redirect.href}?code=good&state=right`);
      expect((await answer).get('code')).toBe('good');
      await agent.end();
    },
  );

  it('ends although a client never finishes its request', async () => {
    const agent = new LoopbackAgent({ open: () => {} });
    const redirect = new URL(await agent.begin([]));
    const socket = connect(Number(redirect.port), '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    await new Promise((resolve) => socket.write('GET /callback HTTP/1.1\r\nHost: ', resolve));
    await agent.end();
    await closed;
  });

  it('with a fixed port that is in use says so', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const { port } = squatter.address() as AddressInfo;
    const agent = new LoopbackAgent({ port });
    expect((await failureOf(agent.begin([]))).message).toContain(String(port));
    await agent.end().catch(() => {});
    squatter.close();
  });
});

describe('what a user pasted', () => {
  it.each([
    'http://127.0.0.1:1234/callback?code=c&state=s',
    '  http://127.0.0.1:1234/callback?state=s&code=c  ',
    '?code=c&state=s',
    'code=c&state=s',
  ])('is read from %s', (text) => expect(readPastedCallback(text).get('code')).toBe('c'));

  it.each(['c', '', 'http://127.0.0.1/callback', 'code=c'])('is not read from "%s"', (text) =>
    expect(() => readPastedCallback(text)).toThrow('Copy the whole address'),
  );
});

describe('opening a page', () => {
  const nasty = 'https://as.example/a$(touch x)`touch y`;touch z|&%PATH%"\'<>\\^?q=$(id)&r=`id`';

  proves('L-SECURITY-042, M-ASEC-044').it.skipIf(process.platform === 'win32')(
    'runs no shell: the address arrives as one argument, and nothing in it is run',
    async () => {
      const seen = join(folder, 'seen');
      const opener = join(folder, 'xdg-open');
      // As careless as an opener can be: it hands its argument to a shell.
      writeFileSync(
        opener,
        `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > ${seen}.part\neval "echo $1" > ${seen}.eval 2>&1\nmv ${seen}.part ${seen}\n`,
      );
      chmodSync(opener, 0o755);
      const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder };
      const page = new URL(nasty);
      expect(await openBrowser(page, { platform: 'linux', env })).toBe(true);
      await until(() => existsSync(seen));
      const [count, address = ''] = readFileSync(seen, 'utf8').split('\n');
      expect(count).toBe('1');
      expect(address).toMatch(/^https:\/\/as\.example\/[^\s$`'"|;<>()\\]+$/);
      expect(new URL(address).searchParams.get('q')).toBe('$(id)');
      for (const name of ['x', 'y', 'z']) expect(existsSync(join(folder, name)) || existsSync(name)).toBe(false);
      expect(readFileSync(`${seen}.eval`, 'utf8')).not.toContain('uid=');
    },
  );

  proves('L-SECURITY-041, M-ASEC-042').it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'http://as.example/',
    'vbscript:x',
  ])('refuses %s', async (url) => {
    expect(await failureOf(openBrowser(new URL(url), { env: { PATH: '' } }))).toBeInstanceOf(OutboundError);
    expect(await failureOf(new LoopbackAgent().visit(new URL(url)))).toBeInstanceOf(OutboundError);
  });

  it('says when there is nothing to open it with', async () => {
    expect(
      await openBrowser(new URL('https://as.example/'), { platform: 'linux', env: { PATH: folder + '-none' } }),
    ).toBe(false);
  });

  it('is not tried where nobody would see it', () => {
    expect(canOpenBrowser({ SSH_CONNECTION: 'x', DISPLAY: ':0' }, 'linux')).toBe(false);
    expect(canOpenBrowser({ CI: 'true' }, 'darwin')).toBe(false);
    expect(canOpenBrowser({}, 'linux')).toBe(false);
    expect(canOpenBrowser({}, 'darwin')).toBe(true);
  });
});
