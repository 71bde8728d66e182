import { isJsonObject, type JsonObject } from '../../../jsonrpc/message.ts';
import type { Clock } from '../../../peer/clock.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import type { Retry } from '../../../protocol/outcome.ts';
import { servingOf } from '../../stored/serving.ts';
import type { RoundLimits } from '../asking-options.ts';
import type { Ledger } from './ledger.ts';
import type { JournalEntry } from './journal.ts';
import { stateRefused, type Sealer } from '../seals/sealer.ts';

/** The state of a call between rounds, carried by the client, sealed. Names are short because every round carries them. */
export interface RoundState {
  /** The id of the call, the same in all its rounds. */
  readonly c: string;
  /** The number of the round that it is brought back for. */
  readonly n: number;
  /** Time of expiry. */
  readonly x: number;
  /** The definition (of the tool) it was made for. */
  readonly t: string;
  readonly j: Record<string, JournalEntry>;
  /** The open questions: key → digest. */
  readonly p: Record<string, string>;
  /** The author's own state, in the explicit style. */
  readonly u?: string;
}

/** The rules for the state of one call. */
export interface RoundRules extends RoundLimits {
  readonly sealer: Sealer;
  /** The identity that the state is bound to: principal, method, params. */
  readonly bound: string;
  readonly definition: string;
  readonly clock: Clock;
  /** Records the calls that have asked and their outcomes; absent where processes share nothing but keys. */
  readonly ledger: Ledger | undefined;
  /** The caller; stored states count as left behind by it. */
  readonly leftBy: string;
  /** Aborted when the client no longer waits for the call. Made on first use. */
  readonly signal: () => AbortSignal;
  /** Longest state in bytes that the client carries; a longer one is stored, and the client carries its name. */
  readonly maxStateBytes: number;
}

export async function sealRound(rules: RoundRules, state: RoundState): Promise<string> {
  const sealed = await rules.sealer.seal(state, rules.bound);
  if (sealed.length <= rules.maxStateBytes) return sealed;
  if (rules.store === undefined) {
    throw new ProtocolError(
      'internal',
      `The state of this call is larger than ${rules.maxStateBytes} bytes: make step results smaller, or give the server asking: { store }.`,
    );
  }
  return servingOf(rules.store).keepState(rules.store, rules, sealed);
}

/** Opens and checks the state of a retry; `undefined` where it brings none. */
export async function openRound(rules: RoundRules, retry: Retry): Promise<RoundState | undefined> {
  if (retry.state === undefined) return undefined;
  const { store } = rules;
  const opened = await rules.sealer.open(retry.state, rules.bound);
  const state = store === undefined ? opened : await servingOf(store).keptState(store, rules, opened);
  if (!isRoundState(state)) throw stateRefused();
  if (state.x < rules.clock.now()) throw stateRefused('it has expired');
  if (state.t !== rules.definition) throw stateRefused('what was called has changed since');
  return state;
}

function isRoundState(value: unknown): value is JsonObject & RoundState {
  return (
    isJsonObject(value) &&
    typeof value['c'] === 'string' &&
    typeof value['n'] === 'number' &&
    typeof value['x'] === 'number' &&
    isJsonObject(value['j']) &&
    isJsonObject(value['p'])
  );
}
