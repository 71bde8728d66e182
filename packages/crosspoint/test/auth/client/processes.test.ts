import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileCredentials } from '../../../src/auth/node.ts';
import { compileSources } from '../../fixtures/stdio/compiled.ts';
import { createWorld, login, use, type World } from './world.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/auth/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
let compiled: ReturnType<typeof compileSources>;
let world: World;
beforeAll(async () => {
  compiled = compileSources();
  world = await createWorld();
}, 120_000);
afterAll(async () => {
  await world.close();
  compiled.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a caller; `ready` when it waits, `result` what it printed in the end. */
function startCaller(file: string): { ready: Promise<void>; go(): void; result: Promise<string> } {
  const child = spawn(process.execPath, [fixture('caller.mjs'), compiled.folder, world.mcp, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  let onready: () => void;
  const ready = new Promise<void>((resolve, reject) => {
    onready = resolve;
    child.on('close', (code) => reject(new Error(`A caller ended with ${code} before it was ready.`)));
  });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (output.startsWith('ready\n')) onready();
  });
  const result = new Promise<string>((resolve) =>
    child.on('close', () => resolve(output.replace('ready\n', '').trim())),
  );
  return { ready, go: () => void child.stdin.write('go\n'), result };
}

describe('processes that share a credential file', () => {
  it.each([
    ['that is known to be over', true],
    ['that the server says is over', false],
  ])(
    'renew a token %s once, although its refresh token rotates, and all of them get through',
    async (_, isKnown) => {
      const file = join(folder, `credentials-${String(isKnown)}.json`);
      const provider = login(world, { credentials: new FileCredentials(file) });
      world.log.length = 0;
      await use(world, provider);
      world.expireAll();
      const tokens = (await provider.tokens())!;
      if (isKnown) await provider.saveTokens({ ...tokens, expires_at: Date.now() - 1000 });
      const callers = Array.from({ length: 10 }, () => startCaller(file));
      await Promise.all(callers.map(({ ready }) => ready));
      for (const caller of callers) caller.go();
      expect(await Promise.all(callers.map(({ result }) => result))).toEqual(
        Array.from({ length: 10 }, () => 'a user'),
      );
      const renewals = world.seen('POST /token').filter(({ form }) => form.get('grant_type') === 'refresh_token');
      expect(renewals).toHaveLength(1);
      expect(world.seen('GET /authorize')).toHaveLength(1);
    },
    120_000,
  );
});

describe('a connection to an address that was checked', () => {
  it('still asks for the certificate of the name', () => {
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: fixture('good.example.cert.pem') };
    const { stdout } = spawnSync(process.execPath, [fixture('secure-visit.mjs'), compiled.folder], {
      env,
      encoding: 'utf8',
    });
    const [good, other] = stdout.split('\n');
    expect(good).toBe('good.example');
    expect(other).toMatch(/^network: .*other\.example.*certificate/);
  }, 60_000);
});
