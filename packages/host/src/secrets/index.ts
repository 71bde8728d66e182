export { EncryptedFile, type EncryptedFileOptions } from './encrypted-file.ts';
export type { KeySource } from './file-key.ts';
export { Keychain, type KeychainOptions } from './keychain.ts';
export { MemorySecrets } from './memory-secrets.ts';
export { openSecrets, type OpenSecretsOptions } from './open-secrets.ts';
export { SecretError, type SecretFault } from './secret-error.ts';
export type { SecretStore } from './secret-store.ts';
