import { isJsonObject } from '../../jsonrpc/message.ts';
import type { Json, Store } from '../../stores/store.ts';
import type { RoundRules } from '../asking/replay/round-state.ts';
import { stateRefused } from '../asking/seals/sealer.ts';

/** Stores a sealed state that is too long for the client to carry, and seals its name. It is bound to its call like a carried one. */
export async function keepState(store: Store, rules: RoundRules, sealed: string): Promise<string> {
  const kept = `state:${crypto.randomUUID()}`;
  await store.put(kept, sealed, { ttlMs: rules.ttlMs, leftBy: rules.leftBy });
  return rules.sealer.seal({ kept }, rules.bound);
}

/** The state that an opened one stands for: its own, or the one stored under its name. */
export async function keptState(store: Store, { sealer, bound }: RoundRules, opened: unknown): Promise<unknown> {
  if (!isJsonObject(opened) || typeof opened['kept'] !== 'string') return opened;
  const value: Json | undefined = (await store.get(opened['kept']))?.value;
  if (typeof value !== 'string') throw stateRefused('it has expired');
  return sealer.open(value, bound);
}
