import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import type { Clock } from '../peer/clock.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { META_FIRST_SENT_AGO, META_IDEMPOTENCY_KEY } from '../protocol/meta.ts';
import { isMemoryStore, memoryStore } from '../stores/memory.ts';
import type { Store, StoredRecord } from '../stores/store.ts';
import type { Settlement } from './asking/asker.ts';
import { digest } from './asking/canonical.ts';
import type { ServerContext } from './context.ts';
import { Claim } from './claim.ts';
import { KeptBytes } from './kept-bytes.ts';
import { readRecord, settlementOf, type KeyedRecord } from './keyed-record.ts';
import { principalOf } from './principal.ts';

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
  readonly clock: Clock;
  /** Where to remember; in this process when it says nothing. */
  store(): Store | undefined;
  onproblem(problem: Error): void;
}

/** What a call says of itself in order to be carried out once. */
export interface CallKey {
  readonly key: string;
  /** How long ago the client sent this call for the first time, where this is not that time. */
  readonly agoMs: number | undefined;
}

const LONGEST_KEY = 255;
/** How long a process may be silent before its calls count as lost. */
const LEASE_MS = 30_000;
const POLL_MS = 1000;

/** Remembers what calls with a key came to, so that each is carried out once however often it is sent. */
export class KeyedCalls {
  readonly #options: Required<IdempotencyOptions>;
  readonly #setup: KeyedCallsSetup;
  readonly #since: number;
  readonly #running = new Map<string, Promise<void>>();
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
    this.#since = setup.clock.now();
    this.#bytes = new KeptBytes(maxCallerBytes, ttlMs, setup.clock);
  }

  /** The key that a call brings, where it is one that may bring one. Throws for what is no key. */
  keyOf({ inbound: { method, params } }: ServerContext): CallKey | undefined {
    if (method !== 'tools/call') return undefined;
    const meta = params['_meta'];
    if (!isJsonObject(meta)) return undefined;
    const key = meta[META_IDEMPOTENCY_KEY];
    if (key === undefined) return undefined;
    if (typeof key !== 'string' || key === '' || key.length > LONGEST_KEY)
      throw new ProtocolError(
        'invalid-params',
        `_meta["${META_IDEMPOTENCY_KEY}"] must be a text of 1 to ${LONGEST_KEY} characters.`,
      );
    const ago = meta[META_FIRST_SENT_AGO];
    return { key, agoMs: typeof ago === 'number' && ago >= 0 ? ago : undefined };
  }

  /** What the call came to before; or `undefined` once it is this one that is to be carried out, which is then remembered. */
  async claim(ctx: ServerContext, { key, agoMs }: CallKey): Promise<Settlement | undefined> {
    const { clock } = this.#setup;
    const store = this.#store;
    const caller = principalOf(ctx.authInfo) ?? '';
    const { name, call, round } = identityOf(ctx);
    const id = `idempotency:${digest([caller, name, key])}`;
    const giveUpAt = clock.now() + this.#options.waitMs;
    for (;;) {
      const found = await store.get(id);
      const record = found && readRecord(found.value);
      if (found === undefined || record === undefined) {
        this.#refuseForgotten(store, agoMs);
      } else {
        if (record.call !== call)
          throw conflict('other-arguments', 'This idempotency key was used for a call with other arguments.');
        const settled = this.#settled(record, round);
        if (settled !== undefined) return settled;
        if (record.state === 'running') {
          await this.#change(store, id, giveUpAt);
          continue;
        }
      }
      if (await this.#begin(ctx, store, { id, call, round, caller, found })) return undefined;
    }
  }

  /** What a repeat is told without being carried out; `undefined` where it must wait, or is a round that follows. */
  #settled(record: KeyedRecord, round: string): Settlement | undefined {
    switch (record.state) {
      case 'running':
        if (record.until !== undefined && record.until < this.#setup.clock.now())
          throw conflict(
            'unknown',
            'The process that carried this call out has ended before it did: what became of it is not known.',
          );
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

  async #begin(
    ctx: ServerContext,
    store: Store,
    call: { id: string; call: string; round: string; caller: string; found: StoredRecord | undefined },
  ): Promise<boolean> {
    const { id, round, caller, found } = call;
    const { clock, onproblem } = this.#setup;
    const { ttlMs, maxOutcomeBytes } = this.#options;
    if (found === undefined) this.#bytes.admit(caller);
    const lease = isMemoryStore(store) ? undefined : LEASE_MS;
    const running: KeyedRecord = {
      state: 'running',
      call: call.call,
      round,
      ...(lease && { until: clock.now() + lease }),
    };
    const version = await store.put(id, running, { ttlMs, ifVersion: found?.version ?? null });
    if (version === undefined) return false;
    const claim = new Claim(running, {
      store,
      clock,
      id,
      ttlMs,
      leaseMs: lease,
      before: found?.value,
      mayKeep: (bytes) => bytes <= maxOutcomeBytes && this.#bytes.spend(caller, bytes),
      onproblem,
    });
    ctx.claim = claim;
    const over = claim.over.then(() => void this.#running.delete(id));
    this.#running.set(id, over);
    return true;
  }

  /** A repeat that finds nothing was either never received before, or forgotten: only the first may be carried out. */
  #refuseForgotten(store: Store, agoMs: number | undefined): void {
    if (agoMs === undefined) return;
    const rememberedMs = isMemoryStore(store) ? this.#setup.clock.now() - this.#since : Number.POSITIVE_INFINITY;
    if (agoMs > Math.min(rememberedMs, this.#options.ttlMs))
      throw conflict(
        'forgotten',
        'This call was sent before, longer ago than this server remembers: what became of it is not known.',
      );
  }

  /** Waits until what is known of a running call may have changed. */
  async #change(store: Store, id: string, giveUpAt: number): Promise<void> {
    const { clock } = this.#setup;
    const left = giveUpAt - clock.now();
    if (left <= 0)
      throw conflict('running', 'The first call with this idempotency key is still running. Try again later.');
    const here = this.#running.get(id);
    if (here !== undefined) return withTimer(here, left, clock);
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const unsubscribe = await store.subscribe(id, () => wake());
    try {
      const found = await store.get(id);
      if (found === undefined || readRecord(found.value)?.state !== 'running') return;
      await withTimer(woken, Math.min(POLL_MS, left), clock);
    } finally {
      await unsubscribe();
    }
  }

  get #store(): Store {
    return this.#setup.store() ?? (this.#own ??= memoryStore({ now: () => this.#setup.clock.now() }));
  }
}

/** What a call is, whoever writes it: for a round that brings answers, also which. */
function identityOf({ inbound: { params, retry } }: ServerContext): { name: unknown; call: string; round: string } {
  const { _meta: _envelope, requestState: _state, inputResponses: _answers, ...call } = params as JsonObject;
  return { name: call['name'], call: digest(call), round: retry === undefined ? '' : digest(retry) };
}

function conflict(reason: string, message: string): ProtocolError {
  return new ProtocolError('idempotency-conflict', message, { reason });
}

function withTimer(promise: Promise<void>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(resolve, ms);
    void promise.then(() => {
      clock.clearTimeout(timer);
      resolve();
    });
  });
}
