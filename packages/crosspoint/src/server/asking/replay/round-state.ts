import { isJsonObject, type JsonObject } from '../../../jsonrpc/message.ts';
import type { Clock } from '../../../peer/clock.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import type { Retry } from '../../../protocol/outcome.ts';
import type { Json } from '../../../stores/store.ts';
import type { RoundLimits } from '../asking-options.ts';
import type { Ledger } from './ledger.ts';
import type { JournalEntry } from './journal.ts';
import { refused, type Sealer } from '../seals/sealer.ts';

/** What a call needs to go on: carried by the client, sealed. Names are short because every round carries them. */
export interface RoundState {
  /** The call, the same in all its rounds. */
  readonly c: string;
  /** The round that it is brought back for. */
  readonly n: number;
  /** When it expires. */
  readonly x: number;
  /** The definition it was made for. */
  readonly t: string;
  readonly j: Record<string, JournalEntry>;
  /** What was asked: key → digest of the question. */
  readonly p: Record<string, string>;
  /** The author's own state, in the explicit style. */
  readonly u?: string;
}

/** How the state of rounds is kept, for one call. */
export interface RoundRules extends RoundLimits {
  readonly sealer: Sealer;
  /** Whom and what the state belongs to: principal, method, params. */
  readonly bound: string;
  readonly definition: string;
  readonly clock: Clock;
  /** Knows which calls have asked and what became of them; absent where states go to processes that share nothing but keys. */
  readonly ledger: Ledger | undefined;
  /** Who is calling: what is kept is counted as theirs. */
  readonly leftBy: string;
  /** Aborted when nobody waits for the call any more. Made on first use. */
  readonly signal: () => AbortSignal;
  /** A longer state is kept in the store and the client carries only its name. */
  readonly maxStateBytes: number;
}

interface Kept {
  readonly kept: string;
}

export async function sealRound(rules: RoundRules, state: RoundState): Promise<string> {
  const sealed = await rules.sealer.seal(state, rules.bound);
  if (sealed.length <= rules.maxStateBytes) return sealed;
  if (rules.store === undefined) {
    throw new ProtocolError(
      'internal',
      `What this call must remember is larger than ${rules.maxStateBytes} bytes: make step results smaller, or give the server asking: { store }.`,
    );
  }
  const kept = `state:${crypto.randomUUID()}`;
  // What is kept is bound to the call as what is carried would be: the seal goes into the store.
  await rules.store.put(kept, sealed, { ttlMs: rules.ttlMs, leftBy: rules.leftBy });
  const handle: Kept = { kept };
  return rules.sealer.seal(handle, rules.bound);
}

/** The state that a retry brings, checked; `undefined` where it brings none. */
export async function openRound(rules: RoundRules, retry: Retry): Promise<RoundState | undefined> {
  if (retry.state === undefined) return undefined;
  const opened = await rules.sealer.open(retry.state, rules.bound);
  const state = isKept(opened) ? await rules.sealer.open(await fetchKept(rules, opened.kept), rules.bound) : opened;
  if (!isRoundState(state)) throw refused();
  if (state.x < rules.clock.now()) throw refused('it has expired');
  if (state.t !== rules.definition) throw refused('what was called has changed since');
  return state;
}

async function fetchKept({ store }: RoundRules, key: string): Promise<string> {
  const value: Json | undefined = (await store?.get(key))?.value;
  if (typeof value !== 'string') throw refused('it has expired');
  return value;
}

function isKept(value: unknown): value is Kept {
  return isJsonObject(value) && typeof value['kept'] === 'string';
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
