import type { Clock } from '../../peer/clock.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { LeftBehind } from '../../stores/left-behind.ts';
import { memoryStoreWithin } from '../../stores/memory.ts';
import { refuseRace } from '../../stores/races.ts';
import type { Store, StoredRecord } from '../../stores/store.ts';
import type { Settlement } from '../asking/asker.ts';
import { digest } from '../asking/seals/digest.ts';
import type { CallKey } from './call-key.ts';
import { ownerKey } from '../callers/caller.ts';
import type { ServerContext } from '../calls/context.ts';
import { Claim } from './claim.ts';
import { KeptBytes } from './remembered-bytes.ts';
import { reliedOnBy } from '../callers/left-by.ts';
import { readRecord, type KeyedRecord } from './keyed-record.ts';
import { settlementOf } from './kept-settlement.ts';
import { Turns, type Waiting } from './turns.ts';

/** How calls that bring a key are remembered. */
export interface IdempotencyOptions {
  /** How long an outcome is remembered. 10 minutes when absent. */
  readonly ttlMs?: number;
  /** How long a repeated call waits for the first to end. 60 seconds when absent. */
  readonly waitMs?: number;
  /** The longest outcome that is remembered, in characters of JSON; of a longer one only that it was. 256 KiB when absent. */
  readonly maxOutcomeBytes?: number;
  /** How much is remembered for one caller at a time; then its further calls with a key are refused. 16 MiB when absent. */
  readonly maxCallerBytes?: number;
}

export interface KeyedCallsSetup {
  /** Since when calls could have come: nothing is remembered of what came before. */
  readonly since: number;
  readonly clock: Clock;
  /** Where to remember; in this process when it says nothing. */
  store(): Store | undefined;
  /** What is remembered in this process counts here. */
  readonly leftBehind: LeftBehind;
  readonly onproblem: (problem: Error) => void;
}

/** Remembers what calls with a key came to, so that each is carried out once however often it is sent. */
export class KeyedCalls {
  readonly #options: Required<IdempotencyOptions>;
  readonly #setup: KeyedCallsSetup;
  readonly #turns: Turns;
  readonly #bytes: KeptBytes;
  #own: Store | undefined;

  constructor(options: IdempotencyOptions, setup: KeyedCallsSetup) {
    const {
      ttlMs = 600_000,
      waitMs = 60_000,
      maxOutcomeBytes = 256 * 1024,
      maxCallerBytes = 16 * 1024 * 1024,
    } = options;
    this.#options = { ttlMs, waitMs, maxOutcomeBytes, maxCallerBytes };
    this.#setup = setup;
    this.#turns = new Turns(setup.clock);
    this.#bytes = new KeptBytes(maxCallerBytes, ttlMs, setup.clock);
  }

  /** What the call came to before; or `undefined` once it is this one that is to be carried out, which is then remembered. */
  async claim(ctx: ServerContext, { key, agoMs }: CallKey): Promise<Settlement | undefined> {
    const { clock } = this.#setup;
    const store = this.#store;
    const { name, call, round } = identityOf(ctx);
    const id = `idempotency:${digest([ctx.principal ?? '', name, key])}`;
    const giveUpAt = clock.now() + this.#options.waitMs;
    for (let races = 0; ; races += 1) {
      refuseRace(races);
      const found = await store.get(id);
      const record = found && readRecord(found.value);
      if (record !== undefined && record.call !== call)
        throw conflict('other-arguments', 'This idempotency key was used for a call with other arguments.');
      const settled = record && settledFor(record, round);
      if (settled !== undefined) return settled;
      if (record === undefined) this.#refuseForgotten(store, agoMs);
      const waiting = { ms: Math.max(0, giveUpAt - clock.now()), isPending: () => this.#isHeld(store, id) };
      if (record?.state === 'running') await this.#turns.change(store, id, waiting);
      else if (await this.#begin(ctx, store, { id, call, round, found, waiting })) return undefined;
      if (waiting.ms === 0)
        throw conflict('running', 'The first call with this idempotency key is still running. Try again later.');
    }
  }

  /** False when somebody else was faster: what is known of the call may have changed. */
  async #begin(
    ctx: ServerContext,
    store: Store,
    call: { id: string; call: string; round: string; found: StoredRecord | undefined; waiting: Waiting },
  ): Promise<boolean> {
    const { id, round, found, waiting } = call;
    const owner = ownerKey(ctx.owner);
    const { clock, onproblem } = this.#setup;
    const { ttlMs, maxOutcomeBytes } = this.#options;
    if (found === undefined) this.#bytes.admit(owner);
    // Before the record: whoever finds that running must find that somebody is there.
    const turn = await this.#turns.take(store, id, store.isShared, waiting);
    if (turn === undefined) return false;
    const running: KeyedRecord = { state: 'running', call: call.call, round };
    let version: string | undefined;
    try {
      version = await store.put(id, running, { ttlMs, ifVersion: found?.version ?? null });
    } finally {
      if (version === undefined) await turn.leave();
    }
    if (version === undefined) return false;
    ctx.call.claim = new Claim(running, {
      store,
      clock,
      id,
      ttlMs,
      leftBy: reliedOnBy(ctx),
      turn,
      before: found?.value,
      mayKeep: (bytes) => bytes <= maxOutcomeBytes && this.#bytes.spend(owner, bytes),
      onproblem,
    });
    return true;
  }

  /** A repeat that finds nothing was either never received before, or forgotten: only the first may be carried out. */
  #refuseForgotten(store: Store, agoMs: number | undefined): void {
    if (agoMs === undefined) return;
    const rememberedMs = store.isShared ? Number.POSITIVE_INFINITY : this.#setup.clock.now() - this.#setup.since;
    if (agoMs > Math.min(rememberedMs, this.#options.ttlMs))
      throw conflict(
        'forgotten',
        'This call was sent before, longer ago than this server remembers: what became of it is not known.',
      );
  }

  /** Whether somebody carries the call out now. Throws where one who did is gone and has left nothing behind. */
  async #isHeld(store: Store, id: string): Promise<boolean> {
    const isAlive = store.isShared && (await this.#turns.isTakenElsewhere(store, id));
    const found = await store.get(id);
    if (found === undefined || readRecord(found.value)?.state !== 'running') return isAlive;
    if (isAlive) return true;
    throw conflict(
      'unknown',
      'The process that carried this call out has ended before the call did: what became of it is not known.',
    );
  }

  get #store(): Store {
    const { leftBehind, clock } = this.#setup;
    return this.#setup.store() ?? (this.#own ??= memoryStoreWithin(leftBehind, { now: () => clock.now() }));
  }
}

/** What a repeat is told without being carried out; `undefined` where it must wait, or is a round that follows. */
function settledFor(record: KeyedRecord, round: string): Settlement | undefined {
  switch (record.state) {
    case 'running':
      return undefined;
    case 'asked':
      return record.round === round ? settlementOf(record) : undefined;
    case 'unkept':
      throw conflict('not-kept', 'This call was carried out, but its outcome was too large to be remembered.');
    case 'done':
    case 'failed':
      return settlementOf(record);
  }
}

/** What a call is, whoever writes it: for a round that brings answers, also which. */
function identityOf({ inbound: { params, retry } }: ServerContext): { name: unknown; call: string; round: string } {
  const { _meta: _envelope, requestState: _state, inputResponses: _answers, ...call } = params;
  return { name: call['name'], call: digest(call), round: retry === undefined ? '' : digest(retry) };
}

function conflict(reason: string, message: string): ProtocolError {
  return new ProtocolError('idempotency-conflict', message, { reason });
}
