import { EncryptedFile, type EncryptedFileOptions } from './encrypted-file.ts';
import { Keychain, type KeychainOptions } from './keychain.ts';
import { SecretError } from './secret-error.ts';
import type { SecretStore } from './secret-store.ts';

export interface OpenSecretsOptions {
  /** The keychain to be tried first. */
  readonly keychain: KeychainOptions;
  /** The file to be used where there is no keychain; without it, `openSecrets` rejects there. */
  readonly file?: EncryptedFileOptions;
  /** Told, in one sentence for users, why the keychain is not used. */
  readonly onfallback?: (reason: string) => void;
}

/**
 * The keychain of the operating system where there is one, otherwise the encrypted file. Secrets are never moved from one to the other.
 *
 * ```ts
 * const secrets = await openSecrets({
 *   keychain: { service: 'my-host' },
 *   file: { path: '/home/me/.config/my-host/secrets.json', key: { variable: 'MY_HOST_KEY' } },
 *   onfallback: (reason) => console.error(reason),
 * });
 * console.error(secrets.describe());
 * ```
 */
export async function openSecrets({ keychain, file, onfallback }: OpenSecretsOptions): Promise<SecretStore> {
  try {
    return await Keychain.open(keychain);
  } catch (error) {
    if (file === undefined || !(error instanceof SecretError) || error.fault !== 'unavailable') throw error;
    const store = new EncryptedFile(file);
    onfallback?.(`${error.message} ${store.describe()}`);
    return store;
  }
}
