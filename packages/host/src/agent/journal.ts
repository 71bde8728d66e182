import { randomUUID } from 'node:crypto';
import type { Json, Store } from 'crosspoint/stores';
import type { ModelMessage, ModelResponse, ModelUsage, ResultBlock } from '../models/model.ts';
import { asJson, isObject } from '../values/json.ts';
import type { RunEndReason } from './run.ts';

/** A limit without an end is `null`: JSON has no infinity. */
export interface KeptBudget {
  readonly rounds?: number | null;
  readonly tokens?: number | null;
  readonly cost?: number | null;
  readonly ms?: number | null;
}

/** A step of a run, written down before the next one is taken. Uses of tools are numbered from 1, in the order in which the model named them. */
export type RunEntry =
  | {
      readonly type: 'begun';
      readonly version: 1;
      readonly model: string;
      readonly system: string;
      readonly conversation: string;
      readonly budget: KeptBudget;
      readonly messages: readonly ModelMessage[];
    }
  | {
      readonly type: 'resumed';
      readonly model: string;
      readonly budget: KeptBudget;
      readonly messages: readonly ModelMessage[];
    }
  /** `ms`: how long the run has taken so far. */
  | ({ readonly type: 'answer'; readonly ms: number } & Pick<
      ModelResponse,
      'content' | 'stopReason' | 'stopDetail' | 'usage'
    >)
  /** The cost of an answer that broke off or did not count. */
  | { readonly type: 'spent'; readonly usage: ModelUsage }
  /** The call goes to the server next. */
  | { readonly type: 'sent'; readonly use: number; readonly call: string; readonly server: string }
  | KeptResult
  /** A message with the results of `uses` was made. Those in `running` go on; those in `late` had gone on, and are in now. */
  | {
      readonly type: 'delivered';
      readonly uses: readonly number[];
      readonly running: readonly number[];
      readonly late: readonly number[];
    }
  | {
      readonly type: 'shortened';
      readonly cuts: readonly { readonly use: number; readonly characters: number }[];
    }
  | { readonly type: 'ended'; readonly reason: RunEndReason; readonly detail: string; readonly ms: number };

export interface KeptResult {
  readonly type: 'result';
  readonly use: number;
  readonly content: readonly ResultBlock[];
  readonly isError?: boolean;
  /** The server whose words the content holds. */
  readonly server?: string;
  /** Characters of the whole text, where it was cut; it is kept beside the journal. */
  readonly whole?: number;
  /** The state of the view after the call. */
  readonly view?: Json;
}

/** Another process has written to the journal: the run goes on there. */
export class RunTakenError extends Error {
  override readonly name = 'RunTakenError';
}

const DIGITS = 8;

/**
 * The steps of one run in a store. Each has a number, and is written only where there is none of that number: of two processes that go on with
 * one run, the second learns of everything that the first has done, and the first fails before it does more.
 */
export class Journal {
  readonly #store: Store;
  readonly #id: string;
  readonly #ttlMs: number;
  readonly #writer = randomUUID();
  #length = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(store: Store, id: string, ttlMs: number) {
    this.#store = store;
    this.#id = id;
    this.#ttlMs = ttlMs;
  }

  /** The entries since the last reading; from the beginning at first. Each lives on for the whole time that runs are kept. */
  async read(): Promise<RunEntry[]> {
    const entries: RunEntry[] = [];
    for (;;) {
      const key = this.#key(this.#length + 1);
      const record = await this.#store.get(key);
      if (record === undefined) return entries;
      await this.#store.touch(key, this.#ttlMs);
      this.#length += 1;
      entries.push((record.value as object as { readonly entry: RunEntry }).entry);
    }
  }

  /** Writes an entry behind the others. Rejects with `RunTakenError` when somebody else has. */
  append(entry: RunEntry): Promise<void> {
    const written = this.#last.then(() => this.#write(entry));
    this.#last = written.catch(() => {});
    return written;
  }

  async keepWhole(use: number, text: string): Promise<void> {
    await this.#store.put(this.#wholeKey(use), text, { ttlMs: this.#ttlMs });
  }

  async whole(use: number): Promise<string | undefined> {
    const value = (await this.#store.get(this.#wholeKey(use)))?.value;
    return typeof value === 'string' ? value : undefined;
  }

  async #write(entry: RunEntry): Promise<void> {
    const key = this.#key(this.#length + 1);
    const value = { by: this.#writer, entry: asJson(entry) };
    const version = await this.#store.put(key, value, { ifVersion: null, ttlMs: this.#ttlMs });
    if (version === undefined && !(await this.#isOwn(key)))
      throw new RunTakenError(`The run ${this.#id} was resumed elsewhere, and goes on there.`);
    this.#length += 1;
    if (version === undefined) await this.#write(entry);
  }

  /** Whether this object wrote the entry: a store that failed may have kept it all the same. */
  async #isOwn(key: string): Promise<boolean> {
    const value = (await this.#store.get(key))?.value;
    return isObject(value) && value['by'] === this.#writer;
  }

  #key(number: number): string {
    return `host/runs/${encodeURIComponent(this.#id)}/steps/${String(number).padStart(DIGITS, '0')}`;
  }

  #wholeKey(use: number): string {
    return `host/runs/${encodeURIComponent(this.#id)}/results/${use}`;
  }
}
