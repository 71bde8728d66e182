import { nodeCrypto, type NodeCrypto, type NodeKey } from './node-crypto.ts';
import type { Bytes } from '../../../runtime/bytes.ts';

/** AES-256-GCM. Node's own module where there is one: for texts this small web crypto takes ten times as long. */
export interface Cipher {
  encrypt(key: Uint8Array, text: Uint8Array, bound: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Throws or rejects when the sealed bytes or `bound` were changed. */
  decrypt(key: Uint8Array, sealed: Uint8Array, bound: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

function join(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Nonces fetched at a time: many random bytes cost little more than twelve. */
const IVS = 64;

function nodeCipher(crypto: NodeCrypto): Cipher {
  // There are few keys, each used for a day.
  const keys = new WeakMap<Uint8Array, NodeKey>();
  const ready = (key: Uint8Array): NodeKey => {
    let made = keys.get(key);
    if (made === undefined) keys.set(key, (made = crypto.createSecretKey(key)));
    return made;
  };
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
    encrypt(key, text, bound) {
      const iv = newIv();
      const cipher = crypto.createCipheriv('aes-256-gcm', ready(key), iv);
      cipher.setAAD(bound);
      return join(iv, cipher.update(text), cipher.final(), cipher.getAuthTag());
    },
    decrypt(key, sealed, bound) {
      requireWhole(sealed);
      const decipher = crypto.createDecipheriv('aes-256-gcm', ready(key), sealed.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(bound);
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return join(decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final());
    },
  };
}

/** Refuses a text that was cut short, which must not be read with a shorter tag. */
function requireWhole(sealed: Uint8Array): void {
  if (sealed.length < IV_BYTES + TAG_BYTES) throw new RangeError('The sealed text is too short.');
}

/** The cipher for runtimes with web crypto. It opens what Node's has sealed, and the other way round. */
export const webCipher: Cipher = {
  async encrypt(key, text, bound) {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv, additionalData: join(bound) },
      await imported(key),
      join(text),
    );
    return join(iv, new Uint8Array(sealed));
  },
  async decrypt(key, sealed, bound) {
    requireWhole(sealed);
    const algorithm = { name: 'AES-GCM', iv: join(sealed.subarray(0, IV_BYTES)), additionalData: join(bound) };
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, await imported(key), join(sealed.subarray(IV_BYTES))));
  },
};

function imported(key: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', join(key), 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/** The best cipher that the runtime has. */
export function findCipher(): Cipher {
  return nodeCrypto ? nodeCipher(nodeCrypto) : webCipher;
}
