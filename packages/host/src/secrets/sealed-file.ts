import { createCipheriv, createDecipheriv, createHash, randomBytes, type KeyObject } from 'node:crypto';
import { canonicalJson, isObject, type Json, type JsonObject } from '../values/json.ts';
import { fingerprintOf, keyOf, newDerivation, readDerivation, type Derivation, type KeySource } from './file-key.ts';
import { SecretError } from './secret-error.ts';

const CIPHER = 'aes-256-gcm';
const FORMAT = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;

/** Everything of a file but the values, which are encrypted as a whole: names are not told either. */
interface Sealed {
  readonly crosspointSecrets: number;
  readonly derivation: JsonObject;
  /** Which key it was written with. */
  readonly key: string;
  readonly iv: string;
  readonly data: string;
  readonly tag: string;
}

/** A key with the derivation that it was made by. */
export interface FileKey {
  readonly key: KeyObject;
  readonly derivation: Derivation;
}

/** The text of a file with these values. */
export function seal(values: ReadonlyMap<string, string>, { key, derivation }: FileKey): string {
  const iv = randomBytes(IV_BYTES);
  const head = { crosspointSecrets: FORMAT, derivation: { ...derivation }, key: fingerprintOf(key) };
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(canonicalJson(head)));
  const data = Buffer.concat([cipher.update(JSON.stringify([...values]), 'utf8'), cipher.final()]);
  const sealed = {
    ...head,
    iv: iv.toString('base64'),
    data: data.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
  };
  return `${JSON.stringify({ ...sealed, sum: sumOf(sealed) }, null, 1)}\n`;
}

export async function newFileKey(source: KeySource): Promise<FileKey> {
  const derivation = newDerivation(source, randomBytes(SALT_BYTES));
  return { key: await keyOf(source, derivation), derivation };
}

/**
 * Opens the text of a file. A sum over the whole, which needs no key, tells a damaged file from one that has another key; the cipher tells a file that was
 * changed on purpose. `known`: a key that was made before, tried first, because making one from a passphrase takes a quarter of a second.
 */
export async function unseal(
  text: string,
  source: KeySource,
  path: string,
  known?: FileKey,
): Promise<{ values: Map<string, string>; fileKey: FileKey }> {
  const sealed = parsed(text, path);
  const derivation = readDerivation(sealed.derivation);
  if (derivation === undefined) throw damaged(path);
  const isKnown = known !== undefined && canonicalJson({ ...known.derivation }) === canonicalJson({ ...derivation });
  const fileKey = isKnown ? known : { key: await keyOf(source, derivation), derivation };
  if (fingerprintOf(fileKey.key) !== sealed.key)
    throw new SecretError(
      'wrong-key',
      `The file of secrets ${path} was written with another key. Give that key; or move the file away, and enter the secrets again.`,
    );
  return { values: decrypted(sealed, fileKey.key, path), fileKey };
}

function parsed(text: string, path: string): Sealed {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw damaged(path);
  }
  if (!isObject(value)) throw damaged(path);
  const { sum, ...sealed } = value;
  if (sum !== sumOf(sealed)) throw damaged(path);
  if (sealed['crosspointSecrets'] !== FORMAT)
    throw new SecretError(
      'damaged',
      `The file of secrets ${path} has a format that is not known here. Update this program; the file was left as it is.`,
    );
  return sealed as unknown as Sealed;
}

function decrypted(
  { crosspointSecrets, derivation, key: fingerprint, iv, data, tag }: Sealed,
  key: KeyObject,
  path: string,
): Map<string, string> {
  try {
    const head = canonicalJson({ crosspointSecrets, derivation, key: fingerprint });
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(iv, 'base64'), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(head))
      .setAuthTag(Buffer.from(tag, 'base64'));
    const text = Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString('utf8');
    return new Map(JSON.parse(text) as [string, string][]);
  } catch {
    throw damaged(path);
  }
}

function sumOf(sealed: JsonObject | Sealed): string {
  return createHash('sha256')
    .update(canonicalJson(sealed as JsonObject))
    .digest('base64url');
}

function damaged(path: string): SecretError {
  return new SecretError(
    'damaged',
    `The file of secrets ${path} is damaged or was changed. It was left as it is: restore it from a copy, or move it away and enter the secrets again.`,
  );
}
