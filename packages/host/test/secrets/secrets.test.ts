import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EncryptedFile } from '../../src/secrets/encrypted-file.ts';
import { Keychain } from '../../src/secrets/keychain.ts';
import { MemorySecrets } from '../../src/secrets/memory-secrets.ts';
import { openSecrets } from '../../src/secrets/open-secrets.ts';
import { SecretError } from '../../src/secrets/secret-error.ts';
import type { SecretStore } from '../../src/secrets/secret-store.ts';

const SECRET = 'sk-very-secret-value';
const key = randomBytes(32);
let base: string;
let path: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'crosspoint-secrets-'));
  path = join(base, 'kept', 'secrets.json');
});
afterEach(async () => {
  vi.doUnmock('@napi-rs/keyring');
  vi.unstubAllEnvs();
  await rm(base, { recursive: true, force: true });
});

const file = (more: object = {}): EncryptedFile => new EncryptedFile({ path, key: { bytes: key }, ...more });

async function errorOf(work: Promise<unknown>): Promise<SecretError> {
  const error = await work.then(
    () => undefined,
    (one: unknown) => one,
  );
  expect(error).toBeInstanceOf(SecretError);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(SECRET);
  return error as SecretError;
}

/** The id of a process that is no more. */
async function endedProcess(): Promise<number | undefined> {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.on('exit', resolve));
  return child.pid;
}

describe.each<[string, () => SecretStore]>([
  ['the memory', () => new MemorySecrets()],
  ['an encrypted file', () => file()],
])('secrets in %s', (_, open) => {
  it('are kept, replaced, listed and removed', async () => {
    const secrets = open();
    expect(await secrets.get('a')).toBeUndefined();
    expect(await secrets.names()).toEqual([]);
    expect(await secrets.delete('a')).toBe(false);
    await secrets.set('b/token', 'one');
    await secrets.set('a', 'Ünïcode\n\0 😀');
    await secrets.set('b/token', 'two');
    expect(await secrets.get('a')).toBe('Ünïcode\n\0 😀');
    expect(await secrets.get('b/token')).toBe('two');
    expect(await secrets.names()).toEqual(['a', 'b/token']);
    expect(await secrets.delete('a')).toBe(true);
    expect(await secrets.names()).toEqual(['b/token']);
  });

  it('have names and values that every store takes', async () => {
    const secrets = open();
    for (const name of [
      '',
      ' ',
      '../x',
      'a/../b',
      '-rf',
      'a b',
      'a\0',
      'ä',
      'x'.repeat(256),
      '__proto__',
      7 as unknown as string,
    ])
      expect((await errorOf(secrets.set(name, SECRET))).fault, name).toBe('invalid-name');
    for (const value of ['', 'x'.repeat(70_000), 7 as unknown as string])
      expect((await errorOf(secrets.set('a', value))).fault).toBe('invalid-value');
    await secrets.set('constructor', SECRET);
    expect(await secrets.names()).toEqual(['constructor']);
    for (const work of [() => secrets.get('../x'), () => secrets.delete('../x')])
      expect((await errorOf(work())).fault).toBe('invalid-name');
  });

  it('are not shown by inspection, JSON or the description', async () => {
    const secrets = open();
    await secrets.set('a', SECRET);
    await secrets.get('a');
    const shown = inspect(secrets, { depth: 9, showHidden: true }) + JSON.stringify(secrets) + secrets.describe();
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain(key.toString('base64'));
    expect(secrets.describe()).toMatch(/^Secrets are kept in .*\.$/);
  });
});

describe('an encrypted file', () => {
  it('has neither names nor values in it, and is for its owner alone', async () => {
    await file().set('github/token', SECRET);
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('github');
    expect(text).not.toContain(key.toString('base64'));
    if (process.platform === 'win32') return;
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(base, 'kept'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(base, 'kept'))).toEqual(['secrets.json']);
  });

  it('never has the same bytes twice', async () => {
    await file().set('a', SECRET);
    const { iv, data } = JSON.parse(await readFile(path, 'utf8'));
    await file().set('a', SECRET);
    const later = JSON.parse(await readFile(path, 'utf8'));
    expect(later.iv).not.toBe(iv);
    expect(later.data).not.toBe(data);
  });

  it('takes its key from the environment or from a passphrase', async () => {
    vi.stubEnv('TEST_SECRETS_KEY', key.toString('hex'));
    const byVariable = new EncryptedFile({ path, key: { variable: 'TEST_SECRETS_KEY' } });
    await byVariable.set('a', SECRET);
    expect(await file().get('a')).toBe(SECRET);
    vi.stubEnv('TEST_SECRETS_KEY', key.toString('base64'));
    expect(await byVariable.get('a')).toBe(SECRET);
    expect(byVariable.describe()).toContain('TEST_SECRETS_KEY');
    await rm(path);
    const byPassphrase = new EncryptedFile({ path, key: { passphrase: async () => 'correct horse' } });
    await byPassphrase.set('a', SECRET);
    const ask = vi.fn(() => 'correct horse');
    const asking = new EncryptedFile({ path, key: { passphrase: ask } });
    expect(await Promise.all([asking.get('a'), asking.get('a'), asking.names()])).toEqual([SECRET, SECRET, ['a']]);
    expect(ask).toHaveBeenCalledTimes(1);
    expect((await errorOf(new EncryptedFile({ path, key: { passphrase: 'wrong horse' } }).get('a'))).fault).toBe(
      'wrong-key',
    );
    expect((await errorOf(file().get('a'))).fault).toBe('wrong-key');
  });

  it.each<[string, object]>([
    ['a variable that is not set', { variable: 'TEST_SECRETS_NONE' }],
    ['a variable that is no key', { variable: 'TEST_SECRETS_BAD' }],
    ['bytes that are too few', { bytes: new Uint8Array(16) }],
    ['a short passphrase', { passphrase: 'short' }],
    ['a passphrase that was not given', { passphrase: () => undefined }],
  ])('is not made with %s', async (_, bad) => {
    vi.stubEnv('TEST_SECRETS_BAD', SECRET);
    expect((await errorOf(file({ key: bad }).set('a', SECRET))).fault).toBe('no-key');
    expect(await readdir(join(base, 'kept'))).toEqual([]);
  });

  it('with another key says so and loses nothing', async () => {
    await file().set('a', SECRET);
    const before = await readFile(path, 'utf8');
    const other = file({ key: { bytes: randomBytes(32) } });
    for (const work of [() => other.get('a'), () => other.set('b', SECRET), () => other.names()])
      expect((await errorOf(work())).fault).toBe('wrong-key');
    expect((await errorOf(file({ key: { passphrase: 'a passphrase' } }).get('a'))).fault).toBe('wrong-key');
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await file().get('a')).toBe(SECRET);
  });

  it('that is damaged at any place says so and loses nothing', async () => {
    await file().set('a', SECRET);
    const whole = await readFile(path, 'utf8');
    for (let at = 0; at < whole.length - 1; at += 3) {
      const broken = whole.slice(0, at) + (whole[at] === 'A' ? 'B' : 'A') + whole.slice(at + 1);
      await writeFile(path, broken, { mode: 0o600 });
      const outcome = await file()
        .get('a')
        .catch((one: SecretError) => one);
      if (outcome !== SECRET) expect((outcome as SecretError).fault, String(at)).toBe('damaged');
    }
    for (const text of ['', '{}', '[]', 'null', whole.slice(0, 80)]) {
      await writeFile(path, text);
      expect((await errorOf(file().set('b', SECRET))).fault).toBe('damaged');
      expect(await readFile(path, 'utf8')).toBe(text);
    }
  });

  it('cannot be made to cost hours, nor be given the head of another', async () => {
    const { createHash } = await import('node:crypto');
    const { canonicalJson } = await import('../../src/values/json.ts');
    await file().set('a', SECRET);
    const { sum: _, ...sealed } = JSON.parse(await readFile(path, 'utf8'));
    const write = (changed: object): Promise<void> =>
      writeFile(
        path,
        JSON.stringify({
          ...changed,
          sum: createHash('sha256')
            .update(canonicalJson(changed as never))
            .digest('base64url'),
        }),
      );
    await write({ ...sealed, derivation: { name: 'scrypt', salt: 'AAAA', cost: 30 } });
    expect((await errorOf(file({ key: { passphrase: 'a passphrase' } }).get('a'))).fault).toBe('damaged');
    await write({ ...sealed, derivation: { name: 'none', more: 1 } });
    expect((await errorOf(file().get('a'))).fault).toBe('damaged');
    await write({ ...sealed, crosspointSecrets: 2 });
    expect((await errorOf(file().get('a'))).message).toContain('Update this program');
    await write({ ...sealed, tag: sealed.tag.slice(0, 8) });
    expect((await errorOf(file().get('a'))).fault).toBe('damaged');
  });

  it.runIf(process.platform !== 'win32')('is not used where others can read or replace it', async () => {
    await file().set('a', SECRET);
    for (const mode of [0o640, 0o604, 0o620, 0o666]) {
      await chmod(path, mode);
      expect((await errorOf(file().get('a'))).fault).toBe('unsafe-file');
      expect((await errorOf(file().set('b', SECRET))).fault).toBe('unsafe-file');
    }
    await chmod(path, 0o600);
    await chmod(join(base, 'kept'), 0o777);
    expect((await errorOf(file().get('a'))).fault).toBe('unsafe-file');
    expect((await errorOf(file().set('b', SECRET))).fault).toBe('unsafe-file');
    await chmod(join(base, 'kept'), 0o700);
    expect(await file().names()).toEqual(['a']);
  });

  it('is not used where it, or its folder, is a link or no file', async () => {
    await file().set('a', SECRET);
    await rename(path, join(base, 'moved.json'));
    await symlink(join(base, 'moved.json'), path);
    expect((await errorOf(file().get('a'))).fault).toBe('unsafe-file');
    expect((await errorOf(file().set('a', SECRET))).fault).toBe('unsafe-file');
    await rm(path);
    await mkdir(path);
    expect((await errorOf(file().get('a'))).fault).toBe('unsafe-file');
    await rm(path, { recursive: true });
    await rename(join(base, 'kept'), join(base, 'real'));
    await symlink(join(base, 'real'), join(base, 'kept'));
    expect((await errorOf(file().set('a', SECRET))).fault).toBe('unsafe-file');
  });

  it('loses nothing when many stores and two processes write at once', async () => {
    vi.stubEnv('TEST_SECRETS_KEY', key.toString('base64'));
    const program = fileURLToPath(new URL('../programs/keep-secrets.mjs', import.meta.url));
    const run = (prefix: string): Promise<number | null> =>
      new Promise((resolve) => {
        spawn(process.execPath, [program, path, prefix, '25'], { stdio: ['ignore', 'ignore', 'inherit'] }).on(
          'exit',
          resolve,
        );
      });
    const here = Array.from({ length: 10 }, (_, at) => file({ lockTimeoutMs: 60_000 }).set(`here-${at}`, SECRET));
    expect((await Promise.all([run('one'), run('two'), ...here])).slice(0, 2)).toEqual([0, 0]);
    expect(await file().names()).toHaveLength(60);
    expect(await readdir(join(base, 'kept'))).toEqual(['secrets.json']);
  }, 60_000);

  it('waits for the lock of a process that runs, and then says which file it is', async () => {
    await file().set('a', SECRET);
    const lock = JSON.stringify({ process: process.pid, host: hostname(), id: 'x' });
    await writeFile(`${path}.lock`, lock);
    const error = await errorOf(file({ lockTimeoutMs: 100 }).set('a', 'other'));
    expect(error.fault).toBe('locked');
    expect(error.message).toContain(`${path}.lock`);
    expect(await file().get('a')).toBe(SECRET);
    const gone = await endedProcess();
    await writeFile(`${path}.lock`, JSON.stringify({ process: gone, host: 'another.example', id: 'x' }));
    expect((await errorOf(file({ lockTimeoutMs: 100 }).set('a', 'other'))).fault).toBe('locked');
  });

  it('removes the lock of a process that is gone', async () => {
    const gone = await endedProcess();
    await file().set('a', SECRET);
    await writeFile(`${path}.lock`, JSON.stringify({ process: gone, host: hostname(), id: 'x' }));
    await Promise.all([1, 2, 3, 4].map((at) => file().set(`b-${at}`, SECRET)));
    expect(await file().names()).toHaveLength(5);
    await writeFile(`${path}.lock`, '');
    expect((await errorOf(file({ lockTimeoutMs: 50 }).set('c', SECRET))).fault).toBe('locked');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(`${path}.lock`, longAgo, longAgo);
    await file().set('c', SECRET);
    expect(await file().get('c')).toBe(SECRET);
  });
});

/** A keychain in memory with the shape of the library, for the calls that this machine has no keychain for. */
function standIn(fail?: (value?: string) => Error): { module: object; kept: Map<string, string>; options: unknown[] } {
  const kept = new Map<string, string>();
  const options: unknown[] = [];
  class AsyncEntry {
    readonly #key: string;
    constructor(service: string, name: string, choice: unknown) {
      this.#key = `${service}\n${name}`;
      options.push(choice);
    }
    async getPassword(): Promise<string | null> {
      return kept.get(this.#key) ?? null;
    }
    async setPassword(value: string): Promise<void> {
      if (fail !== undefined) throw fail(value);
      kept.set(this.#key, value);
    }
    async deletePassword(): Promise<boolean> {
      return kept.delete(this.#key);
    }
  }
  const findCredentialsAsync = async (service: string): Promise<object[]> =>
    [...kept].flatMap(([name, password]) => {
      const [of, account] = name.split('\n');
      return of === service ? [{ account, password }] : [];
    });
  return { module: { AsyncEntry, findCredentialsAsync }, kept, options };
}

describe('the keychain', () => {
  it('keeps secrets under the name of the program, on Linux where they outlive a restart', async () => {
    const { module, kept, options } = standIn();
    vi.doMock('@napi-rs/keyring', () => module);
    const keychain = await Keychain.open({ service: 'my-host' });
    await keychain.set('b', SECRET);
    await keychain.set('a', 'two');
    expect(await keychain.get('b')).toBe(SECRET);
    expect(await keychain.get('none')).toBeUndefined();
    expect(await keychain.names()).toEqual(['a', 'b']);
    expect(await keychain.delete('a')).toBe(true);
    expect(await keychain.delete('a')).toBe(false);
    expect([...kept.keys()]).toEqual(['my-host\nb']);
    expect(options).toContainEqual({ linux: { store: 'secret-service' } });
    expect(inspect(keychain, { depth: 9, showHidden: true }) + JSON.stringify(keychain)).not.toContain(SECRET);
    expect(keychain.describe()).toContain('my-host');
    expect((await errorOf(keychain.set('../x', SECRET))).fault).toBe('invalid-name');
  });

  it('passes on why it failed, but no value', async () => {
    vi.doMock('@napi-rs/keyring', () => standIn((value) => new Error(`could not write ${value}`)).module);
    const keychain = await Keychain.open({ service: 'my-host' });
    expect((await errorOf(keychain.set('a', SECRET))).fault).toBe('unavailable');
    vi.doMock('@napi-rs/keyring', () => standIn(() => new Error('the keychain is locked')).module);
    vi.resetModules();
    const { Keychain: Again } = await import('../../src/secrets/keychain.ts');
    await expect(Again.open({ service: 'my-host' }).then((one) => one.set('a', SECRET))).rejects.toThrow(
      /keep the secret a in .*: the keychain is locked/,
    );
  });

  it('that is not there is told with a remedy, and the file is used where one was given', async () => {
    vi.doMock('@napi-rs/keyring', () => {
      throw new Error('not installed');
    });
    vi.resetModules();
    const { openSecrets: open } = await import('../../src/secrets/open-secrets.ts');
    await expect(open({ keychain: { service: 'my-host' } })).rejects.toThrow(
      /@napi-rs\/keyring is not installed.*encrypted file/,
    );
    const told: string[] = [];
    const secrets = await open({
      keychain: { service: 'my-host' },
      file: { path, key: { bytes: key } },
      onfallback: (reason) => told.push(reason),
    });
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(path);
    await secrets.set('a', SECRET);
    expect(await file().get('a')).toBe(SECRET);
  });

  it.runIf(process.platform === 'linux' && process.env['DBUS_SESSION_BUS_ADDRESS'] === undefined)(
    'of a Linux without a desktop is not there: the library itself says so',
    async () => {
      const told: string[] = [];
      const secrets = await openSecrets({
        keychain: { service: 'crosspoint-test' },
        file: { path, key: { bytes: key } },
        onfallback: (reason) => told.push(reason),
      });
      expect(secrets).toBeInstanceOf(EncryptedFile);
      expect(told[0]).toMatch(/Secret Service of this desktop: .*Secrets are kept in the encrypted file/);
    },
  );
});
