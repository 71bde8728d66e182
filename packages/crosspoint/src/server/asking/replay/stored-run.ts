import type { Clock } from '../../../peer/clock.ts';
import { isJsonObject } from '../../../jsonrpc/message.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import { refuseRace } from '../../../stores/races.ts';
import { asJson, type Json, type Store } from '../../../stores/store.ts';
import { persist } from '../../idempotency/persist.ts';
import type { Turn } from '../../idempotency/turns.ts';
import type { KeptCall, KeptSteps, RoundEnd, RoundRun } from './ledger.ts';
import type { StepRecord } from '../steps.ts';

export interface StoredRunSetup {
  readonly store: Store;
  readonly clock: Clock;
  readonly key: string;
  readonly turn: Turn;
  readonly ttlMs: number;
  readonly leftBy: string;
}

/** A run of a round in a shared store. Each write requires the version of its last one, so that a run that was given up for lost changes nothing. */
export class StoredRun implements RoundRun {
  readonly #setup: StoredRunSetup;
  #kept: KeptCall;
  #version: string | null = null;
  /** The last write; the next one follows it. */
  #written: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #isLost = false;

  constructor(kept: KeptCall, setup: StoredRunSetup) {
    this.#kept = kept;
    this.#setup = setup;
  }

  get steps(): KeptSteps {
    return this.#kept.s ?? {};
  }

  /** Claims the record of the call as it was read; false when another run was faster. */
  async begin(version: string | null): Promise<boolean> {
    const { store, key, turn, ttlMs, leftBy } = this.#setup;
    try {
      const written = await store.put(key, asJson(this.#kept), { ifVersion: version, ttlMs, leftBy });
      if (written === undefined) await turn.leave();
      else this.#version = written;
      return written !== undefined;
    } catch (error) {
      await turn.leave();
      throw error;
    }
  }

  get isLost(): boolean {
    return this.#isLost || this.#setup.turn.lease?.lost.aborted === true;
  }

  async beginStep(name: string): Promise<void> {
    if (Object.hasOwn(this.steps, name) || !(await this.#note(name, null)))
      throw unknownOutcome(name, 'it had begun before and there is no result, because it was interrupted');
  }

  async finishStep(name: string, record: StepRecord): Promise<void> {
    const mustKnow = this.steps[name] === null;
    try {
      await this.#note(name, record);
    } catch (error) {
      throw mustKnow ? unknownOutcome(name, 'it ran, but its result could not be kept', error) : error;
    }
  }

  async #note(name: string, record: StepRecord | null): Promise<boolean> {
    if (this.#isOver) return true;
    this.#kept = { ...this.#kept, s: { ...this.#kept.s, [name]: record } };
    return this.#write();
  }

  async end(end?: RoundEnd): Promise<boolean> {
    const { turn } = this.#setup;
    this.#isOver = true;
    if (end !== undefined) this.#kept = { ...this.#kept, end: end.kept };
    try {
      return await this.#write();
    } finally {
      await turn.leave();
    }
  }

  #write(): Promise<boolean> {
    const kept = this.#kept;
    const written = this.#written.then(() => persist(() => this.#put(kept), this.#setup.clock));
    this.#written = written.catch(() => {});
    return written;
  }

  async #put(kept: KeptCall): Promise<boolean> {
    const { store, key, ttlMs, leftBy } = this.#setup;
    for (let races = 0; ; races += 1) {
      refuseRace(races);
      const options = { ifVersion: this.#version, ttlMs, leftBy };
      const version = await store.put(key, asJson(kept), options);
      if (version !== undefined) {
        this.#version = version;
        return true;
      }
      // Still this run's record: forgotten meanwhile, or written although the store reported an error.
      const found = await store.get(key);
      if (found !== undefined && readCall(found.value)?.by !== kept.by) return !(this.#isLost = true);
      this.#version = found?.version ?? null;
    }
  }
}

function unknownOutcome(step: string, why: string, cause?: unknown): ProtocolError {
  return new ProtocolError(
    'internal',
    `The outcome of the step "${step}" is unknown: ${why}.`,
    { step, outcome: 'unknown' },
    { cause },
  );
}

export function readCall(value: Json | undefined): KeptCall | undefined {
  return isJsonObject(value) && typeof value['n'] === 'number' ? (value as object as KeptCall) : undefined;
}
