import { visibleLine } from '../values/visible-text.ts';
import { SecretError } from './secret-error.ts';
import { checkName, checkValue } from './secret-name.ts';
import type { SecretStore } from './secret-store.ts';

/** The parts of `@napi-rs/keyring` that are used. */
interface KeyringModule {
  readonly AsyncEntry: new (
    service: string,
    username: string,
    options?: { readonly linux: { readonly store: 'secret-service' } },
  ) => KeyringEntry;
  findCredentialsAsync(service: string): Promise<readonly { readonly account: string }[]>;
}

interface KeyringEntry {
  getPassword(signal?: AbortSignal): Promise<string | null>;
  setPassword(value: string, signal?: AbortSignal): Promise<void>;
  deletePassword(signal?: AbortSignal): Promise<boolean>;
}

const PACKAGE = '@napi-rs/keyring';
/** Without a choice, Linux would fall back to the keyring of the kernel, which forgets everything when the machine is started again. */
const PERSISTENT = { linux: { store: 'secret-service' } } as const;
const PLACES: Readonly<Record<string, string>> = {
  darwin: 'the keychain of macOS',
  win32: 'the Credential Manager of Windows',
  linux: 'the Secret Service of this desktop',
};
const DEFAULT_TIMEOUT_MS = 60_000;

export interface KeychainOptions {
  /** The name under which the secrets are listed in the keychain: that of the program. */
  readonly service: string;
  /** How long the keychain may take, which may be waiting for the user to unlock it; 60 seconds by default. */
  readonly timeoutMs?: number;
}

/** Keeps secrets in the keychain of the operating system. `open` makes one. */
export class Keychain implements SecretStore {
  readonly #module: KeyringModule;
  readonly #service: string;
  readonly #timeoutMs: number;

  private constructor(module: KeyringModule, { service, timeoutMs = DEFAULT_TIMEOUT_MS }: KeychainOptions) {
    this.#module = module;
    this.#service = service;
    this.#timeoutMs = timeoutMs;
  }

  /** Loads the library and asks the keychain for a name that is not there. Rejects with `unavailable`, and says what to install. */
  static async open(options: KeychainOptions): Promise<Keychain> {
    checkName(options.service);
    const module = await loaded();
    const keychain = new Keychain(module, options);
    await keychain.get('crosspoint-probe');
    return keychain;
  }

  async get(name: string): Promise<string | undefined> {
    checkName(name);
    const value = await this.#run(`read the secret ${name} from`, async (signal) =>
      this.#entry(name).getPassword(signal),
    );
    return value ?? undefined;
  }

  async set(name: string, value: string): Promise<void> {
    checkName(name);
    checkValue(name, value);
    await this.#run(
      `keep the secret ${name} in`,
      async (signal) => this.#entry(name).setPassword(value, signal),
      value,
    );
  }

  async delete(name: string): Promise<boolean> {
    checkName(name);
    return this.#run(`remove the secret ${name} from`, async (signal) => this.#entry(name).deletePassword(signal));
  }

  async names(): Promise<readonly string[]> {
    const found = await this.#run('list the secrets of', () => this.#module.findCredentialsAsync(this.#service));
    return found.map(({ account }) => account).sort();
  }

  describe(): string {
    return `Secrets are kept in ${placeOf()}, under the name ${this.#service}.`;
  }

  #entry(name: string): KeyringEntry {
    return new this.#module.AsyncEntry(this.#service, name, PERSISTENT);
  }

  /** The message of the keychain is passed on, unless it could hold the value. */
  async #run<T>(task: string, work: (signal: AbortSignal) => Promise<T>, value?: string): Promise<T> {
    try {
      return await work(AbortSignal.timeout(this.#timeoutMs));
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      const shown =
        reason === '' || (value !== undefined && reason.includes(value)) ? 'no reason was given' : visibleLine(reason);
      throw new SecretError('unavailable', `It was not possible to ${task} ${placeOf()}: ${shown}.`);
    }
  }
}

function placeOf(): string {
  return PLACES[process.platform] ?? 'the keychain of this system';
}

async function loaded(): Promise<KeyringModule> {
  try {
    return await import('@napi-rs/keyring');
  } catch {
    throw new SecretError(
      'unavailable',
      `The keychain cannot be used: ${PACKAGE} is not installed, or not for this system. Install it, or use an encrypted file.`,
    );
  }
}
