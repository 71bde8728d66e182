/** AES-256-GCM. Node's own module where there is one: for texts this small the web's costs ten times as much. */
export interface Cipher {
  encrypt(key: Uint8Array, text: Uint8Array, bound: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Throws or rejects when anything was changed. */
  decrypt(key: Uint8Array, sealed: Uint8Array, bound: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

interface NodeCrypto {
  randomBytes(size: number): Uint8Array;
  createCipheriv(
    algorithm: string,
    key: Uint8Array,
    iv: Uint8Array,
  ): {
    setAAD(data: Uint8Array): unknown;
    update(data: Uint8Array): Uint8Array;
    final(): Uint8Array;
    getAuthTag(): Uint8Array;
  };
  createDecipheriv(
    algorithm: string,
    key: Uint8Array,
    iv: Uint8Array,
    options: { authTagLength: number },
  ): {
    setAAD(data: Uint8Array): unknown;
    setAuthTag(tag: Uint8Array): unknown;
    update(data: Uint8Array): Uint8Array;
    final(): Uint8Array;
  };
}

function findNodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  return process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined;
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function nodeCipher(crypto: NodeCrypto): Cipher {
  return {
    encrypt(key, text, bound) {
      const iv = crypto.randomBytes(IV_BYTES);
      const cipher = crypto.createCipheriv('aes-256-gcm', key, iv);
      cipher.setAAD(bound);
      return join(iv, cipher.update(text), cipher.final(), cipher.getAuthTag());
    },
    decrypt(key, sealed, bound) {
      requireWhole(sealed);
      const decipher = crypto.createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(bound);
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return join(decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final());
    },
  };
}

/** A text cut short must not be read as one with a shorter tag. */
function requireWhole(sealed: Uint8Array): void {
  if (sealed.length < IV_BYTES + TAG_BYTES) throw new RangeError('The sealed text is too short.');
}

/** The cipher of every runtime with web crypto. What one of the two seals, the other opens. */
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
  const found = findNodeCrypto();
  return found ? nodeCipher(found) : webCipher;
}
