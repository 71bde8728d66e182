import { builtInModule } from '../../../runtime/built-in-module.ts';
import type { Cryptography } from './cryptography.ts';

interface NodeBytes extends Uint8Array {
  subarray(from: number, to?: number): NodeBytes;
  toString(encoding?: 'base64url'): string;
}

/** An imported key. */
interface NodeKey {
  readonly type: string;
}

/** The part of Node's own cryptography that is used: for texts this small web crypto takes ten times as long. */
interface NodeCrypto {
  randomFillSync(bytes: Uint8Array): unknown;
  createSecretKey(key: Uint8Array): NodeKey;
  createHash(algorithm: string): { update(data: Uint8Array | string): { digest(encoding: 'hex'): string } };
  hkdfSync(algorithm: string, secret: Uint8Array, salt: string, purpose: string, bytes: number): ArrayBuffer;
  createCipheriv(
    algorithm: string,
    key: NodeKey,
    iv: Uint8Array,
  ): {
    setAAD(data: Uint8Array): unknown;
    update(text: string, encoding: 'utf8'): NodeBytes;
    final(): NodeBytes;
    getAuthTag(): NodeBytes;
  };
  createDecipheriv(
    algorithm: string,
    key: NodeKey,
    iv: Uint8Array,
    options: { authTagLength: number },
  ): {
    setAAD(data: Uint8Array): unknown;
    setAuthTag(tag: Uint8Array): unknown;
    update(data: Uint8Array): NodeBytes;
    final(): NodeBytes;
  };
}

interface NodeBuffers {
  from(text: string, encoding?: 'base64url'): NodeBytes;
  concat(parts: readonly Uint8Array[]): NodeBytes;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Nonces fetched at a time: many random bytes cost little more than twelve. */
const IVS = 64;

export function nodeCryptography(): Cryptography<NodeKey> {
  const [crypto, { Buffer }] = [
    builtInModule('node:crypto') as NodeCrypto,
    builtInModule('node:buffer') as { readonly Buffer: NodeBuffers },
  ];
  const random = new Uint8Array(IVS * IV_BYTES);
  let used = random.length;
  const newIv = (): Uint8Array => {
    if (used === random.length) {
      crypto.randomFillSync(random);
      used = 0;
    }
    return random.slice(used, (used += IV_BYTES));
  };
  return {
    hash: (data) => crypto.createHash('sha256').update(data).digest('hex'),
    deriveKey: (secret, purpose) =>
      crypto.createSecretKey(new Uint8Array(crypto.hkdfSync('sha256', secret, '', purpose, 32))),
    encrypt(key, text, bound) {
      const iv = newIv();
      const cipher = crypto.createCipheriv(ALGORITHM, key, iv);
      cipher.setAAD(Buffer.from(bound));
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(parts).toString('base64url');
    },
    decrypt(key, text, bound) {
      const sealed = Buffer.from(text, 'base64url');
      // A text that was cut short must not be read with a shorter tag. The sealer says that it is refused.
      if (sealed.length < IV_BYTES + TAG_BYTES || sealed.toString('base64url') !== text) throw new RangeError(text);
      const options = { authTagLength: TAG_BYTES };
      const decipher = crypto.createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), options);
      decipher.setAAD(Buffer.from(bound));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString();
    },
  };
}
