import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Retry } from '../../protocol/outcome.ts';
import type { Json } from '../../stores/store.ts';
import type { RoundLimits } from './asking-options.ts';
import type { JournalEntry } from './journal.ts';
import { refused, type Sealer } from './sealer.ts';

/** What a call needs to go on: carried by the client, sealed. Names are short because every round carries them. */
export interface RoundState {
  /** The call, the same in all its rounds. */
  readonly c: string;
  /** This round, different in each. */
  readonly r: string;
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
  /** Each state may be brought back once. */
  readonly singleUse: boolean;
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
  await rules.store.put(kept, sealed, { ttlMs: rules.ttlMs });
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
  if (rules.singleUse) await useOnce(rules, state);
  return state;
}

async function fetchKept({ store }: RoundRules, key: string): Promise<string> {
  const value: Json | undefined = (await store?.get(key))?.value;
  if (typeof value !== 'string') throw refused('it has expired');
  return value;
}

async function useOnce({ store, ttlMs }: RoundRules, { r }: RoundState): Promise<void> {
  if (store === undefined) throw new TypeError('Single use of request state needs asking: { store }.');
  if ((await store.put(`used:${r}`, true, { ifVersion: null, ttlMs })) === undefined)
    throw refused('it was used before');
}

function isKept(value: unknown): value is Kept {
  return isJsonObject(value) && typeof value['kept'] === 'string';
}

function isRoundState(value: unknown): value is JsonObject & RoundState {
  return (
    isJsonObject(value) &&
    typeof value['c'] === 'string' &&
    typeof value['x'] === 'number' &&
    isJsonObject(value['j']) &&
    isJsonObject(value['p'])
  );
}
