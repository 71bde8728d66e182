import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import { ProtocolError, isProtocolError, type FaultKind } from '../protocol/errors.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Json } from '../stores/store.ts';
import type { Settlement } from './asking/asker.ts';
import { InputRequired } from './asking/input-required.ts';

type Fault = {
  readonly kind: FaultKind;
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
};

/** What is kept of a call with a key. `call`: a digest of its params. `round`: which answers it brought; empty for the first round. */
export type KeyedRecord = { readonly call: string; readonly round: string } & (
  | { readonly state: 'running' | 'unkept' }
  | { readonly state: 'asked' | 'done'; readonly outcome: Json }
  | { readonly state: 'failed'; readonly fault: Fault }
);

export function readRecord(value: Json): KeyedRecord | undefined {
  return isJsonObject(value) && typeof value['state'] === 'string' ? (value as object as KeyedRecord) : undefined;
}

/** What is kept of how a call ended. */
export function recordOf(settlement: Settlement, of: Pick<KeyedRecord, 'call' | 'round'>): KeyedRecord {
  const { call, round } = of;
  if (settlement.kind === 'outcome') return outcomeRecord(settlement.outcome, { call, round });
  if (settlement.kind === 'failed') return { call, round, state: 'failed', fault: faultOf(settlement.error) };
  const { ended } = settlement;
  if (!ended.ok) return { call, round, state: 'failed', fault: faultOf(ended.error) };
  return isJsonObject(ended.value) && !(ended.value instanceof InputRequired)
    ? outcomeRecord({ kind: 'complete', result: ended.value }, { call, round })
    : { call, round, state: 'failed', fault: faultOf(undefined) };
}

function outcomeRecord(outcome: Outcome, of: Pick<KeyedRecord, 'call' | 'round'>): KeyedRecord {
  const state = outcome.kind === 'input-required' ? 'asked' : 'done';
  return { ...of, state, outcome: outcome as JsonObject as Json };
}

/** As the client was told it: what was internal stays so. */
function faultOf(error: unknown): Fault {
  if (!isProtocolError(error))
    return { kind: 'internal', code: new ProtocolError('internal', '').code, message: 'Internal error' };
  const { kind, code, message, data } = error;
  return { kind, code, message, ...(data !== undefined && { data: data as Json }) };
}

export function settlementOf(record: Extract<KeyedRecord, { state: 'asked' | 'done' | 'failed' }>): Settlement {
  if (record.state !== 'failed') return { kind: 'outcome', outcome: record.outcome as object as Outcome };
  const { kind, code, message, data } = record.fault;
  return { kind: 'failed', error: new ProtocolError(kind, message, data, { code }) };
}
