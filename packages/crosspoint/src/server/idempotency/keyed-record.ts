import { isJsonObject } from '../../jsonrpc/message.ts';
import type { Json } from '../../stores/store.ts';
import type { KeptSettlement } from './kept-settlement.ts';

/** The record of a call with a key. `call`: a digest of its params. `round`: identifies the answers it brought; empty for the first round. */
export type KeyedRecord = { readonly call: string; readonly round: string } & (
  | { readonly state: 'running' | 'unkept' }
  | KeptSettlement
);

export function readRecord(value: Json): KeyedRecord | undefined {
  return isJsonObject(value) && typeof value['state'] === 'string' ? (value as object as KeyedRecord) : undefined;
}
