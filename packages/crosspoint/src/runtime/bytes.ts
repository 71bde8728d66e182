/** `Uint8Array<ArrayBuffer>`, bytes that no other thread shares, in words that compilers before TypeScript 5.7 read, too: there the class has no parameter. */
export type Bytes = ReturnType<Uint8Array['slice']>;
