import type { Clock } from '../../peer/clock.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { LeftBehind } from '../../stores/left-behind.ts';
import { MemoryRecords } from '../../stores/memory-records.ts';
import { refuseRace } from '../../stores/races.ts';
import type { Store, StoredRecord } from '../../stores/store.ts';
import type { Settlement } from '../asking/asker.ts';
import { digest } from '../asking/seals/digest.ts';
import type { CallKey } from './call-key.ts';
import { ownerKey } from '../callers/caller.ts';
import type { ServerContext } from '../calls/context.ts';
import { Claim, type Records } from './claim.ts';
import { RememberedBytes } from './remembered-bytes.ts';
import { reliedOnBy } from '../callers/left-by.ts';
import { readRecord, type KeyedRecord } from './keyed-record.ts';
import { settlementOf } from './kept-settlement.ts';
import { servingOf } from '../stored/serving.ts';
import { Turns, type TurnsElsewhere, type Waiting } from './turns.ts';

/** Options for calls with an idempotency key. */
export interface IdempotencyOptions {
  /** Milliseconds that an outcome is remembered. 10 minutes when absent. */
  readonly ttlMs?: number;
  /** Milliseconds that a repeated call waits for the first to end. 60 seconds when absent. */
  readonly waitMs?: number;
  /** Longest outcome that is remembered, in characters of JSON; of a longer one only the fact that it was carried out. 256 KiB when absent. */
  readonly maxOutcomeBytes?: number;
  /** Most bytes remembered for one caller at a time; its further calls with a key are then refused. 16 MiB when absent. */
  readonly maxCallerBytes?: number;
}

export interface KeyedCallsSetup {
  /** Time of the server's start: earlier calls are not remembered. */
  readonly since: number;
  readonly clock: Clock;
  /** The store for outcomes; this process when there is none. */
  store(): Store | undefined;
  /** Counts the outcomes remembered in this process. */
  readonly leftBehind: LeftBehind;
  readonly onproblem: (problem: Error) => void;
}

/** Where outcomes are remembered. */
interface Place {
  readonly records: Records;
  /** Whether other processes use the records too. */
  readonly isShared: boolean;
  readonly elsewhere?: TurnsElsewhere;
}

/** Remembers the outcomes of calls with a key, so that each is carried out once however often it is sent. */
export class KeyedCalls {
  readonly #options: Required<IdempotencyOptions>;
  readonly #setup: KeyedCallsSetup;
  readonly #turns: Turns;
  readonly #bytes: RememberedBytes;
  #own: Place | undefined;
  #shared: (Place & { readonly store: Store }) | undefined;

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
    this.#bytes = new RememberedBytes(maxCallerBytes, ttlMs, setup.clock);
  }

  /** The recorded outcome of the call; or `undefined` when this one is to be carried out and recorded. */
  async claim(ctx: ServerContext, { key, agoMs }: CallKey): Promise<Settlement | undefined> {
    const { clock } = this.#setup;
    const place = this.#place();
    const { name, call, round } = identityOf(ctx);
    const id = `idempotency:${digest([ctx.principal ?? '', name, key])}`;
    const giveUpAt = clock.now() + this.#options.waitMs;
    for (let races = 0; ; races += 1) {
      refuseRace(races);
      const found = await place.records.get(id);
      const record = found && readRecord(found.value);
      if (record !== undefined && record.call !== call)
        throw conflict('other-arguments', 'This idempotency key was used for a call with other arguments.');
      const settled = record && settledFor(record, round);
      if (settled !== undefined) return settled;
      if (record === undefined) this.#refuseForgotten(place, agoMs);
      const waiting = { ms: Math.max(0, giveUpAt - clock.now()), isPending: () => this.#isHeld(place, id) };
      if (record?.state === 'running') await this.#turns.change(id, waiting, place.elsewhere);
      else if (await this.#begin(ctx, place, { id, call, round, found, waiting })) return undefined;
      if (waiting.ms === 0)
        throw conflict('running', 'The first call with this idempotency key is still running. Try again later.');
    }
  }

  /** Begins a call. False when another was faster: the record may have changed. */
  async #begin(
    ctx: ServerContext,
    { records, elsewhere }: Place,
    call: { id: string; call: string; round: string; found: StoredRecord | undefined; waiting: Waiting },
  ): Promise<boolean> {
    const { id, round, found, waiting } = call;
    const owner = ownerKey(ctx.owner);
    const { clock, onproblem } = this.#setup;
    const { ttlMs, maxOutcomeBytes } = this.#options;
    if (found === undefined) this.#bytes.admit(owner);
    // Taken before the record is written: a process that finds the call running must also find its lease.
    const turn = await this.#turns.take(id, waiting, elsewhere);
    if (turn === undefined) return false;
    const running: KeyedRecord = { state: 'running', call: call.call, round };
    let version: string | undefined;
    try {
      version = await records.put(id, running, { ttlMs, ifVersion: found?.version ?? null });
    } finally {
      if (version === undefined) await turn.leave();
    }
    if (version === undefined) return false;
    ctx.call.claim = new Claim(running, {
      records,
      clock,
      id,
      ttlMs,
      leftBy: reliedOnBy(ctx),
      turn,
      elsewhere,
      before: found?.value,
      mayKeep: (bytes) => bytes <= maxOutcomeBytes && this.#bytes.spend(owner, bytes),
      onproblem,
    });
    return true;
  }

  /** Refuses a repeat without a record that may have been forgotten: only one that was never received may be carried out. */
  #refuseForgotten({ isShared }: Place, agoMs: number | undefined): void {
    if (agoMs === undefined) return;
    const rememberedMs = isShared ? Number.POSITIVE_INFINITY : this.#setup.clock.now() - this.#setup.since;
    if (agoMs > Math.min(rememberedMs, this.#options.ttlMs))
      throw conflict(
        'forgotten',
        'This call was sent before, longer ago than this server remembers: its outcome is unknown.',
      );
  }

  /** Whether the call is being carried out now. Throws where its process is gone without a record. */
  async #isHeld({ records, elsewhere }: Place, id: string): Promise<boolean> {
    const isAlive = (await elsewhere?.isTaken(id)) ?? false;
    const found = await records.get(id);
    if (found === undefined || readRecord(found.value)?.state !== 'running') return isAlive;
    if (isAlive) return true;
    throw conflict('unknown', 'The process that carried this call out has ended before it: its outcome is unknown.');
  }

  /** The store where there is one; it may be given after the first calls. */
  #place(): Place {
    const { leftBehind, clock } = this.#setup;
    const store = this.#setup.store();
    if (store === undefined)
      return (this.#own ??= { records: new MemoryRecords(leftBehind, { now: () => clock.now() }), isShared: false });
    if (this.#shared?.store !== store) {
      const { isShared } = store;
      this.#shared = { store, records: store, isShared, elsewhere: servingOf(store).turns(store, clock, isShared) };
    }
    return this.#shared;
  }
}

/** The outcome for a repeat; `undefined` where it must wait, or is a later round. */
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

/** Identifies a call by its arguments, and a round by its answers. */
function identityOf({ inbound: { params, retry } }: ServerContext): { name: unknown; call: string; round: string } {
  const { _meta: _envelope, requestState: _state, inputResponses: _answers, ...call } = params;
  return { name: call['name'], call: digest(call), round: retry === undefined ? '' : digest(retry) };
}

function conflict(reason: string, message: string): ProtocolError {
  return new ProtocolError('idempotency-conflict', message, { reason });
}
