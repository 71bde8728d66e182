import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError, isProtocolError, type FaultKind } from '../../protocol/errors.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Json } from '../../stores/store.ts';
import type { Settlement } from '../asking/asker.ts';
import { InputRequired } from '../asking/input-required.ts';

type Fault = {
  readonly kind: FaultKind;
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
};

/** The outcome of a call, as a store keeps it. */
export type KeptSettlement =
  | { readonly state: 'asked' | 'done'; readonly outcome: Json }
  | { readonly state: 'failed'; readonly fault: Fault };

export function keptSettlement(settlement: Settlement): KeptSettlement {
  if (settlement.kind === 'outcome') return keptOutcome(settlement.outcome);
  if (settlement.kind === 'failed') return { state: 'failed', fault: faultOf(settlement.error) };
  const { ended } = settlement;
  if (!ended.ok) return { state: 'failed', fault: faultOf(ended.error) };
  return isJsonObject(ended.value) && !(ended.value instanceof InputRequired)
    ? keptOutcome({ kind: 'complete', result: ended.value })
    : { state: 'failed', fault: faultOf(undefined) };
}

function keptOutcome(outcome: Outcome): KeptSettlement {
  return { state: outcome.kind === 'input-required' ? 'asked' : 'done', outcome: outcome as JsonObject as Json };
}

/** The error as it was sent to the client: an internal one without its message. */
function faultOf(error: unknown): Fault {
  if (!isProtocolError(error))
    return { kind: 'internal', code: new ProtocolError('internal', '').code, message: 'Internal error' };
  const { kind, code, message, data } = error;
  return { kind, code, message, ...(data !== undefined && { data: data as Json }) };
}

export function settlementOf(kept: KeptSettlement): Settlement {
  if (kept.state !== 'failed') return { kind: 'outcome', outcome: kept.outcome as object as Outcome };
  const { kind, code, message, data } = kept.fault;
  return { kind: 'failed', error: new ProtocolError(kind, message, data, { code }) };
}

/** Kinds of errors that say that the call was not carried out, and may be later. */
const NOT_YET: ReadonlySet<string> = new Set(['state-refused', 'url-elicitation-required', 'rate-limited']);

/**
 * Whether a repeated call is carried out again after this outcome. A call that failed after it was cancelled, or after its client was lost, stopped
 * because of that: a client that repeats it wants it done.
 */
export function isNoEnd(settlement: Settlement, aborted: boolean): boolean {
  if (aborted && hasFailed(settlement)) return true;
  const error =
    settlement.kind === 'failed'
      ? settlement.error
      : settlement.kind === 'ended' && !settlement.ended.ok
        ? settlement.ended.error
        : undefined;
  return isProtocolError(error) && NOT_YET.has(error.kind);
}

function hasFailed(settlement: Settlement): boolean {
  if (settlement.kind !== 'ended') return settlement.kind === 'failed';
  const { ended } = settlement;
  return !ended.ok || (isJsonObject(ended.value) && ended.value['isError'] === true);
}
