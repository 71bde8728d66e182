import { SecretError } from './secret-error.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@:%/+~-]{0,254}$/;
/** The most that the keychains of all systems take is less; this bounds the file. */
const MAX_VALUE = 65_536;

/** Refuses names that a keychain or a file could take for something else. */
export function checkName(name: string): void {
  if (typeof name === 'string' && NAME.test(name) && !name.includes('..')) return;
  throw new SecretError(
    'invalid-name',
    'The name of a secret has 1 to 255 letters, digits and . _ @ : % / + ~ -, begins with a letter or digit and has no two dots in a row.',
  );
}

export function checkValue(name: string, value: string): void {
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_VALUE) return;
  throw new SecretError(
    'invalid-value',
    `The secret ${name} was not kept: its value has to be a text of 1 to ${MAX_VALUE} characters.`,
  );
}
