import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { SecretStore } from '@crosspoint/host/secrets';
import { CliError } from '../errors/cli-error.ts';
import type { Home } from './home.ts';

/** Names the variable with the key of the encrypted file. */
export const SECRETS_KEY = 'CROSSPOINT_SECRETS_KEY';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The secrets of the user: in the encrypted file where `CROSSPOINT_SECRETS_KEY` is set, otherwise in the keychain. Which one is a matter of that variable
 * alone, so that a secret is found where it was kept. Nothing is opened before it is used.
 */
export class UserSecrets implements SecretStore {
  readonly #home: Home;
  readonly #env: Env;
  #opened: Promise<SecretStore> | undefined;
  #words = 'The secrets were not opened yet.';

  constructor(home: Home, env: Env) {
    this.#home = home;
    this.#env = env;
  }

  async get(name: string): Promise<string | undefined> {
    return (await this.#open()).get(name);
  }

  async set(name: string, value: string): Promise<void> {
    await (await this.#open()).set(name, value);
  }

  async delete(name: string): Promise<boolean> {
    return (await this.#open()).delete(name);
  }

  async names(): Promise<readonly string[]> {
    return (await this.#open()).names();
  }

  describe(): string {
    return this.#words;
  }

  #open(): Promise<SecretStore> {
    this.#opened ??= this.#openOnce();
    return this.#opened;
  }

  async #openOnce(): Promise<SecretStore> {
    const { EncryptedFile, Keychain, SecretError } = await import('@crosspoint/host/secrets');
    const path = join(this.#home.stateFolder, 'secrets.json');
    try {
      const hasKey = (this.#env[SECRETS_KEY] ?? '') !== '';
      const opened = hasKey
        ? new EncryptedFile({ path, key: { variable: SECRETS_KEY } })
        : await Keychain.open({ service: keychainName(this.#home) });
      this.#words = opened.describe();
      return opened;
    } catch (error) {
      if (!(error instanceof SecretError) || error.fault !== 'unavailable') throw error;
      throw new CliError('usage', `There is no place for secrets: ${error.message}`, {
        hint: `Set ${SECRETS_KEY} to 32 random bytes (openssl rand -base64 32) and keep it: secrets are then in the encrypted file ${path}.`,
        cause: error,
      });
    }
  }
}

/** The name of the user's secrets in the keychain; a folder of its own has a name of its own. */
export function keychainName({ ownFolder }: Pick<Home, 'ownFolder'>): string {
  if (ownFolder === undefined) return 'crosspoint';
  return `crosspoint-${createHash('sha256').update(ownFolder).digest('hex').slice(0, 16)}`;
}
