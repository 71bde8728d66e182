import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { memoryStore, type Store } from 'crosspoint/stores';
import { sqliteStore } from 'crosspoint/stores/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseSync } from '../../../crosspoint/test/stores/recommended-driver.ts';
import { UntrustedConfigError } from '../../src/config/errors.ts';
import { readConfiguration, type Configuration } from '../../src/config/files/read-configuration.ts';
import { resolveEntry } from '../../src/config/interpolation/resolve-entry.ts';
import type { ValueSources } from '../../src/config/interpolation/sources.ts';
import { TrustBook } from '../../src/config/trust/trust-book.ts';

let folder = '';
let file = '';
let store: Store;
let trust: TrustBook;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trusted-'));
  file = join(folder, '.mcp.json');
  store = memoryStore();
  trust = new TrustBook(store, { now: () => 0 });
});
afterEach(() => store.close());

/** A server that leaves a file behind when it is started. */
const leaving = (name: string): unknown => ({
  command: process.execPath,
  args: ['-e', `require('node:fs').writeFileSync(${JSON.stringify(join(folder, name))}, '')`],
});

function put(servers: Readonly<Record<string, unknown>>): void {
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
}

const read = (): Promise<Configuration> =>
  readConfiguration({ folder, home: join(folder, 'home'), env: {}, formats: ['claude-code'] });

/** Trusts the file as it is now. */
async function trustNow(): Promise<Configuration> {
  const configuration = await read();
  for (const one of configuration.files) if (one.scope === 'project') await trust.grant(one);
  return configuration;
}

/** Starts every server as a host does: resolved first. The names of those that were started. */
async function startAll({ entries }: Configuration, sources: ValueSources = { trust }): Promise<string[]> {
  const started: string[] = [];
  for (const entry of entries) {
    try {
      const { reach } = await resolveEntry(entry, sources);
      if (reach.type !== 'stdio') continue;
      const transport = new StdioClientTransport({
        command: reach.command,
        args: [...(reach.args ?? [])],
        stderr: 'ignore',
      });
      const ended = new Promise<void>((resolve) => (transport.onclose = resolve));
      await transport.start();
      started.push(entry.name);
      await Promise.race([ended, pause(10_000)]);
      await transport.close();
    } catch (error) {
      if (!(error instanceof UntrustedConfigError)) throw error;
    }
  }
  return started;
}

async function refusal(configuration: Configuration, sources: ValueSources = { trust }): Promise<UntrustedConfigError> {
  const [entry] = configuration.entries;
  if (entry === undefined) throw new Error('The configuration has no entry.');
  const error: unknown = await resolveEntry(entry, sources).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UntrustedConfigError);
  return error as UntrustedConfigError;
}

describe('a file of a repository', () => {
  it('starts nothing and expands nothing before it is trusted', async () => {
    put({ a: { ...(leaving('a') as object), env: { T: '${TOKEN}' } } });
    const touched: string[] = [];
    const env = new Proxy<Record<string, string>>(
      {},
      {
        getOwnPropertyDescriptor: (_target, name) => void touched.push(String(name)),
        get: (_target, name) => void touched.push(String(name)),
      },
    );
    const configuration = await read();
    expect(await startAll(configuration, { trust, env })).toEqual([]);
    expect(await startAll(configuration, { env })).toEqual([]);
    expect(touched).toEqual([]);
    expect(existsSync(join(folder, 'a'))).toBe(false);
    expect(await refusal(configuration)).toMatchObject({ state: 'unknown', file, server: 'a', changes: [] });
  });

  it('starts its servers when it is trusted', async () => {
    put({ a: leaving('a') });
    expect(await startAll(await trustNow())).toEqual(['a']);
    expect(existsSync(join(folder, 'a'))).toBe(true);
  });

  it('that changed after it was trusted starts nothing, and shows what changed', async () => {
    put({ a: leaving('a'), kept: leaving('kept'), gone: leaving('gone') });
    await trustNow();
    put({ a: leaving('evil'), kept: leaving('kept'), came: leaving('came') });
    const configuration = await read();
    expect(await startAll(configuration)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['.mcp.json']);
    const error = await refusal(configuration);
    expect(error.state).toBe('changed');
    expect(error.changes).toMatchObject([{ server: 'a', path: '/reach/args' }]);
    expect(error.message).toContain('has changed since it was trusted (a/reach/args). Look at it and trust it again.');
    const changes = await trust.changesOf(file, configuration.entries);
    expect(
      changes.map(({ server, path, before, after }) => [server, path, before !== undefined, after !== undefined]),
    ).toEqual([
      ['a', '/reach/args', true, true],
      ['came', '', false, true],
      ['gone', '', true, false],
    ]);
    await trustNow();
    expect(await startAll(configuration)).toEqual(['a', 'kept', 'came']);
  });

  it.each([
    ['a space', (text: string) => `${text} `],
    ['a member that is not ours', (text: string) => text.replace('"env"', '"x":1,"env"')],
  ])('is bound to its content to the letter: %s', async (_what, change) => {
    put({ a: { command: 'node', env: {} } });
    await trustNow();
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    expect((await refusal(await read())).state).toBe('changed');
  });

  it('is trusted with the content that the user saw, also when it changes before the answer', async () => {
    put({ a: leaving('shown') });
    const shown = await read();
    put({ a: leaving('swapped') });
    for (const one of shown.files) await trust.grant(one);
    expect(await startAll(await read())).toEqual([]);
    expect(await startAll(shown)).toEqual(['a']);
    expect(existsSync(join(folder, 'swapped'))).toBe(false);
  });

  it('is trusted under its own path alone', async () => {
    put({ a: leaving('a') });
    await trustNow();
    const other = join(folder, 'other.json');
    writeFileSync(other, readFileSync(file));
    const copied = await readConfiguration({
      home: folder,
      env: {},
      formats: [],
      files: [{ file: other, format: 'claude-code' }],
    });
    expect((await refusal(copied)).state).toBe('unknown');
  });

  it('cannot vouch for itself: an entry without a digest is refused', async () => {
    put({ a: leaving('a') });
    const { entries } = await trustNow();
    const [entry] = entries;
    if (entry === undefined) throw new Error('The configuration has no entry.');
    const { digest: _digest, ...origin } = entry.origin;
    await expect(resolveEntry({ ...entry, origin }, { trust })).rejects.toBeInstanceOf(UntrustedConfigError);
  });
});

/** Runs `work` with a store in a file. */
async function inFile(path: string, work: (kept: Store) => Promise<void>): Promise<void> {
  const database = new DatabaseSync(path);
  const kept = sqliteStore(database);
  await work(kept);
  await kept.close();
  database.close();
}

describe('TrustBook', () => {
  it('lists and revokes', async () => {
    put({ b: leaving('b'), a: leaving('a') });
    const configuration = await trustNow();
    const [{ digest } = { digest: '' }] = configuration.files;
    expect(await trust.list()).toEqual([{ file, digest, at: '1970-01-01T00:00:00.000Z', servers: ['b', 'a'] }]);
    expect(await trust.stateOf({ file, digest })).toBe('trusted');
    expect(await trust.stateOf({ file })).toBe('changed');
    expect(await trust.stateOf({})).toBe('unknown');
    expect(await trust.revoke(file)).toBe(true);
    expect(await trust.revoke(file)).toBe(false);
    expect(await trust.stateOf({ file, digest })).toBe('unknown');
    expect(await trust.changesOf(file, configuration.entries)).toEqual([]);
    expect(await trust.list()).toEqual([]);
  });

  it('lists more files than a page of the store has', async () => {
    put({ a: leaving('a') });
    const [one] = (await read()).files;
    if (one === undefined) throw new Error('The file was not read.');
    for (let at = 0; at < 230; at += 1) await trust.grant({ ...one, file: `/repo/${at}/.mcp.json` });
    expect(new Set((await trust.list()).map((record) => record.file)).size).toBe(230);
  });

  it('outlives the process, in a store outside the repository', async () => {
    put({ a: leaving('a') });
    const path = join(mkdtempSync(join(tmpdir(), 'trust-store-')), 'trust.db');
    const { files } = await read();
    await inFile(path, async (kept) => {
      for (const one of files) await new TrustBook(kept).grant(one);
    });
    await inFile(path, async (kept) => {
      expect(await new TrustBook(kept).stateOf({ file, digest: files[0]?.digest ?? '' })).toBe('trusted');
    });
  });

  it('keeps no secret, and still sees that one changed', async () => {
    const server = (key: string): unknown => ({
      command: 'x',
      args: ['--token', key],
      env: { API_KEY: key, LEVEL: 'one' },
      custom: { key },
    });
    put({ a: server('hunter2hunter2') });
    await trustNow();
    const [key = ''] = await store.keys('');
    expect(JSON.stringify(await store.get(key))).not.toContain('hunter2');
    put({ a: server('hunter3hunter3') });
    const { changes, message } = await refusal(await read());
    expect(changes.map(({ path }) => path)).toEqual(['/other/custom', '/reach/args', '/reach/env/API_KEY']);
    expect(JSON.stringify(changes) + message).not.toMatch(/hunter[23]/);
  });

  it('treats a record of another shape as none', async () => {
    put({ a: leaving('a') });
    const { files } = await trustNow();
    const [key = ''] = await store.keys('');
    await store.put(key, { file, digest: 7 });
    expect(await trust.stateOf({ file, digest: files[0]?.digest ?? '' })).toBe('unknown');
    expect(await trust.list()).toEqual([]);
  });
});
