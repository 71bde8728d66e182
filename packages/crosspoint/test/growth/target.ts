import type { HttpRequest } from '../../src/transports/http/server/adapters/exchange.ts';

/** A parser, matcher or masker of text that a peer may have written. */
export interface Target {
  readonly run: (text: string) => unknown;
  /** Repeated to make hostile texts, beside those that all targets get. */
  readonly atoms?: readonly string[];
  /** Where only the length of the text matters. */
  readonly only?: readonly string[];
  /** Put before and after, where the text would otherwise be refused at its first character. */
  readonly around?: readonly (readonly [string, string])[];
}

export const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const request = (name: string, value: string): HttpRequest =>
  ({ isLoopback: true, header: (asked: string) => (asked === name ? value : undefined) }) as unknown as HttpRequest;

/** One byte at a time, which is the worst that a stream can do. */
export function inPieces(text: string, take: (piece: Uint8Array) => unknown): void {
  for (const byte of bytes(text)) take(Uint8Array.of(byte));
}
