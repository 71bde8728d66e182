import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import {
  AuthFlowError,
  ClientCredentialsProvider,
  DpopSession,
  MemoryCredentials,
  OAuthError,
  PrivateKeyJwtProvider,
  StoreCredentials,
  StoredProvider,
  type CredentialKey,
  type CredentialStore,
} from '../../../../src/auth/index.ts';
import { FileCredentials } from '../../../../src/auth/node.ts';
import { memoryStore } from '../../../../src/stores/memory.ts';
import { proves } from '../../../requirements/proves.ts';
import { approving } from '../world.ts';

const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = (): string => join(folder, `${(files += 1)}`, 'credentials.json');

const KEY: CredentialKey = { issuer: 'https://as.example', resource: 'https://mcp.example', account: '' };
const TOKENS = { access_token: 'secret-access', token_type: 'Bearer', refresh_token: 'secret-refresh' };

const KINDS: readonly (readonly [string, () => CredentialStore])[] = [
  ['memory', () => new MemoryCredentials()],
  ['a store', () => new StoreCredentials(memoryStore())],
  ['a file', () => new FileCredentials(newFile())],
];

describe.each(KINDS)('credentials in %s', (_, create) => {
  it('are given back as one unit, and dropped as one', async () => {
    const store = create();
    expect(await store.read(KEY)).toBeUndefined();
    await store.write(KEY, { client: { client_id: 'c' }, tokens: TOKENS });
    expect(await store.read(KEY)).toEqual({ client: { client_id: 'c' }, tokens: TOKENS });
    expect(await store.currentIssuer(KEY.resource, '')).toBe(KEY.issuer);
    await store.write(KEY, undefined);
    expect(await store.read(KEY)).toBeUndefined();
  });

  proves('M-AD-004, M-AR-022').it('of one issuer, server or account are not those of another', async () => {
    const store = create();
    await store.write(KEY, { tokens: TOKENS });
    for (const other of [
      { issuer: 'https://other.example' },
      { resource: 'https://mcp.example/x' },
      { account: 'work' },
    ])
      expect(await store.read({ ...KEY, ...other })).toBeUndefined();
  });

  it('are changed by one at a time', async () => {
    const store = create();
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, (inside += 1));
      const kept = await store.read(KEY);
      const count = Number(kept?.client?.client_id ?? 0);
      await store.write(KEY, { client: { client_id: String(count + 1) } });
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => store.exclusive(KEY, work)));
    expect(most).toBe(1);
    expect((await store.read(KEY))?.client?.client_id).toBe('8');
  });

  it('are not locked for ever by work that fails', async () => {
    const store = create();
    await expect(store.exclusive(KEY, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await store.exclusive(KEY, () => Promise.resolve('yes'))).toBe('yes');
  });

  it('are not seen when the store is printed', async () => {
    const store = create();
    await store.write(KEY, { tokens: TOKENS });
    expect(inspect(store, { depth: 10, showHidden: true }) + JSON.stringify(store)).not.toContain('secret');
  });
});

describe('a credential file', () => {
  it.skipIf(process.platform === 'win32')(
    'can be read by its owner alone, also after somebody opened it to others',
    async () => {
      const file = newFile();
      const store = new FileCredentials(file);
      await store.write(KEY, { tokens: TOKENS });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      chmodSync(file, 0o644);
      await store.read(KEY);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    },
  );

  it('is replaced as a whole, and nothing is left beside it', async () => {
    const file = newFile();
    const stores = Array.from({ length: 5 }, () => new FileCredentials(file));
    await Promise.all(
      stores.map((store, index) => store.write({ ...KEY, account: String(index) }, { tokens: TOKENS })),
    );
    const { entries } = JSON.parse(readFileSync(file, 'utf8')) as { entries: object };
    expect(Object.keys(entries)).toHaveLength(6 + 4);
    expect(readdirSync(join(file, '..'))).toEqual(['credentials.json']);
  });

  it('that is something else is left alone, with an error that quotes nothing of it', async () => {
    const file = newFile();
    await new FileCredentials(file).write(KEY, { tokens: TOKENS });
    writeFileSync(file, 'password=hunter2');
    const error = await new FileCredentials(file).read(KEY).catch((failure: Error) => failure);
    expect((error as Error).message).toContain('not a credential file');
    expect((error as Error).message).not.toContain('hunter2');
    expect(readFileSync(file, 'utf8')).toBe('password=hunter2');
  });

  it('is not locked for ever by a process that has ended, or by one that nothing was heard of', async () => {
    const file = newFile();
    const store = new FileCredentials(file);
    await store.write(KEY, { tokens: TOKENS });
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(`${file}.lock`, JSON.stringify({ pid, host: hostname(), id: 'x' }));
    await store.write(KEY, { tokens: { ...TOKENS, access_token: 'second' } });
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: 1, host: 'another machine', id: 'x' }));
    utimesSync(`${file}.lock`, new Date(0), new Date(0));
    await store.write(KEY, { tokens: { ...TOKENS, access_token: 'third' } });
    expect((await store.read(KEY))?.tokens?.access_token).toBe('third');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});

describe('secrets', () => {
  it('are not seen when what holds them is printed', async () => {
    const session = await DpopSession.create({ extractable: true });
    const provider = new StoredProvider({
      serverUrl: 'https://mcp.example',
      clientName: 'Test',
      userAgent: approving,
      client: { client_id: 'c', client_secret: 'secret-client' },
    });
    await provider.saveTokens(TOKENS, { issuer: KEY.issuer });
    const service = new ClientCredentialsProvider({ clientId: 'c', clientSecret: 'secret-client' });
    service.saveTokens(TOKENS);
    const key = new PrivateKeyJwtProvider({ clientId: 'c', privateKey: 'secret-key', algorithm: 'ES256' });
    for (const holder of [session, provider, service, key])
      expect(inspect(holder, { depth: 10, showHidden: true }) + JSON.stringify(holder)).not.toMatch(/secret-|"d":/);
  });

  it('are not seen in errors', async () => {
    const params = new URLSearchParams();
    const service = new PrivateKeyJwtProvider({ clientId: 'c', privateKey: 'secret-key', algorithm: 'ES256' });
    const failed = await Promise.resolve(
      service.addClientAuthentication?.(new Headers(), params, 'https://as.example'),
    ).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(AuthFlowError);
    expect(inspect(failed)).not.toContain('secret-key');
    expect(new OAuthError('invalid_grant', 'nothing').message).not.toContain('secret');
  });
});
