import { builtInModule } from '../../../runtime/built-in-module.ts';

/** The part of Node's own cryptography that is used: for texts this small web crypto takes ten times as long. */
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

/** An imported key. */
export interface NodeKey {
  readonly type: string;
}

/** `undefined` in runtimes that have no such module. */
export const nodeCrypto: NodeCrypto | undefined = builtInModule('node:crypto');
