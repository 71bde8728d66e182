import { builtInModule } from '../../../runtime/built-in-module.ts';

/** Node's own cryptography, as far as it is used: for texts as small as these the web's costs ten times as much. */
export interface NodeCrypto {
  randomFillSync(bytes: Uint8Array): unknown;
  createSecretKey(key: Uint8Array): NodeKey;
  createHash(algorithm: string): { update(text: string): { digest(encoding: 'hex'): string } };
  createCipheriv(
    algorithm: string,
    key: NodeKey,
    iv: Uint8Array,
  ): {
    setAAD(data: Uint8Array): unknown;
    update(data: Uint8Array): Uint8Array;
    final(): Uint8Array;
    getAuthTag(): Uint8Array;
  };
  createDecipheriv(
    algorithm: string,
    key: NodeKey,
    iv: Uint8Array,
    options: { authTagLength: number },
  ): {
    setAAD(data: Uint8Array): unknown;
    setAuthTag(tag: Uint8Array): unknown;
    update(data: Uint8Array): Uint8Array;
    final(): Uint8Array;
  };
}

/** A key that has been made ready. */
export interface NodeKey {
  readonly type: string;
}

/** `undefined` in runtimes that have no such module. */
export const nodeCrypto: NodeCrypto | undefined = builtInModule('node:crypto');
