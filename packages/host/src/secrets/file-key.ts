import { createHmac, createSecretKey, scrypt, type KeyObject } from 'node:crypto';
import { isObject, type Json } from '../values/json.ts';
import { SecretError } from './secret-error.ts';

/**
 * Where the key of an encrypted file comes from; never from beside it. `bytes`: 32 bytes of the program. `variable`: the name of a variable of the environment
 * with 32 bytes as 64 hexadecimal digits or as base64. `passphrase`: a text of at least 8 characters, or a function that asks the user for it.
 */
export type KeySource =
  | { readonly bytes: Uint8Array }
  | { readonly variable: string }
  | { readonly passphrase: string | (() => string | Promise<string>) };

/** How a key is made from a passphrase; in the head of the file. */
export interface Derivation {
  readonly name: 'none' | 'scrypt';
  readonly salt?: string;
  readonly cost?: number;
}

const KEY_BYTES = 32;
const MIN_PASSPHRASE = 8;
const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;
/** 2^16 rounds with blocks of 1 KiB: 64 MiB and about a quarter of a second for each guess. */
const COST = 16;
const MAX_COST = 20;
const BLOCK_SIZE = 8;

export function describeKey(source: KeySource): string {
  if ('bytes' in source) return 'a key that the program gives';
  return 'variable' in source
    ? `the key in the environment variable ${source.variable}`
    : 'a key that is made from a passphrase';
}

/** How the key of a new file is made. */
export function newDerivation(source: KeySource, salt: Buffer): Derivation {
  return 'passphrase' in source ? { name: 'scrypt', salt: salt.toString('base64'), cost: COST } : { name: 'none' };
}

/** Reads the derivation of a file that is there, within bounds: a file cannot make this process compute for hours. */
export function readDerivation(value: Json | undefined): Derivation | undefined {
  if (!isObject(value)) return undefined;
  const { name, salt, cost } = value;
  if (name === 'none') return { name };
  const isUsable = name === 'scrypt' && typeof salt === 'string' && salt.length <= 64 && Number.isInteger(cost);
  return isUsable && Number(cost) >= COST && Number(cost) <= MAX_COST ? { name, salt, cost: Number(cost) } : undefined;
}

export async function keyOf(source: KeySource, derivation: Derivation): Promise<KeyObject> {
  if ('passphrase' in source !== (derivation.name === 'scrypt'))
    throw new SecretError(
      'wrong-key',
      derivation.name === 'scrypt'
        ? 'The file of secrets needs a passphrase, and a key was given.'
        : 'The file of secrets needs a key, and a passphrase was given.',
    );
  if ('bytes' in source) return checkedKey(Buffer.from(source.bytes), 'The key that the program gives');
  if ('variable' in source)
    return checkedKey(variableBytes(source.variable), `The environment variable ${source.variable}`);
  const passphrase = typeof source.passphrase === 'string' ? source.passphrase : await source.passphrase();
  if (typeof passphrase !== 'string' || passphrase.length < MIN_PASSPHRASE)
    throw new SecretError(
      'no-key',
      `The passphrase of the file of secrets has to be at least ${MIN_PASSPHRASE} characters long.`,
    );
  return derived(passphrase, derivation);
}

function variableBytes(variable: string): Buffer {
  const text = process.env[variable]?.trim();
  if (text === undefined || text === '')
    throw new SecretError(
      'no-key',
      `The environment variable ${variable} with the key of the file of secrets is not set. Set it to 32 random bytes as base64.`,
    );
  if (HEX.test(text)) return Buffer.from(text, 'hex');
  return BASE64.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
}

function checkedKey(bytes: Buffer, subject: string): KeyObject {
  if (bytes.length === KEY_BYTES) return createSecretKey(bytes);
  throw new SecretError(
    'no-key',
    `${subject} is no key: it has to hold ${KEY_BYTES} random bytes, as base64 or 64 hexadecimal digits.`,
  );
}

function derived(passphrase: string, { salt = '', cost = COST }: Derivation): Promise<KeyObject> {
  const rounds = 2 ** cost;
  const options = { N: rounds, r: BLOCK_SIZE, p: 1, maxmem: 256 * rounds * BLOCK_SIZE };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(createSecretKey(key));
      else
        reject(
          new SecretError('no-key', 'The key of the file of secrets cannot be made here: there is not enough memory.'),
        );
    });
  });
}

/** A text that tells one key from another, and nothing about either. */
export function fingerprintOf(key: KeyObject): string {
  return createHmac('sha256', key).update('crosspoint secrets: which key').digest('base64url').slice(0, 22);
}
