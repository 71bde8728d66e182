import type { ServerOptions } from 'crosspoint/server';
import type { UpstreamCaller } from '../upstream/upstream.ts';
import type { Slot } from '../upstream/upstream-sessions.ts';
import { HeldCall, type Earlier, type HeldRequest } from './held-call.ts';

type Store = NonNullable<ServerOptions['store']>;
type Json = Parameters<Store['put']>[1];
type Resume = NonNullable<UpstreamCaller['resume']>;

/** A parked call, as another process reads it. */
interface ParkedRecord {
  /** The process that holds the call. */
  readonly node: string;
  readonly request: HeldRequest;
  readonly earlier: Earlier;
  readonly session: Resume;
  readonly caller: UpstreamCaller;
}

export interface RecordsSetup {
  readonly store: Store;
  /** A process counts as gone when it has given no sign of life for so many milliseconds. */
  readonly leaseMs: number;
  /** Opens the session of the server again that an earlier process had. */
  reopen(caller: UpstreamCaller, resume: Resume): Promise<Slot>;
  onproblem(problem: Error): void;
}

const PREFIX = 'bridge/';

/** The records of parked calls in a store: written when a call is parked, taken by the one process that goes on with it. */
export class ParkedRecords {
  readonly #setup: RecordsSetup;
  readonly #node: string = crypto.randomUUID();
  #beat: ReturnType<typeof setInterval> | undefined;

  constructor(setup: RecordsSetup) {
    this.#setup = setup;
  }

  /** Whether another process could go on with a call. */
  survives(call: HeldCall): boolean {
    return this.#record(call) !== undefined;
  }

  /** Writes a call down. A store that fails is reported: the call waits in this process all the same. */
  async keep(id: string, call: HeldCall, ttlMs: number): Promise<void> {
    const record = this.#record(call);
    if (record === undefined) return;
    try {
      await this.#live();
      await this.#setup.store.put(parkKey(id), record as object as Json, { ttlMs });
    } catch (error) {
      this.#setup.onproblem(error as Error);
    }
  }

  async forget(id: string): Promise<void> {
    await this.#setup.store.delete(parkKey(id)).catch((error: Error) => this.#setup.onproblem(error));
  }

  /**
   * Goes on with a call whose process is gone. `undefined`: there is no such call, or another process has it. Only the process that takes the record away goes on.
   */
  async restore(id: string): Promise<HeldCall | undefined> {
    const { store } = this.#setup;
    const kept = await store.get(parkKey(id));
    if (kept === undefined) return undefined;
    const { node, request, earlier, session, caller } = kept.value as object as ParkedRecord;
    if (!(await this.#isGone(node)) || !(await store.delete(parkKey(id), kept.version))) return undefined;
    const call = new HeldCall(await this.#setup.reopen(caller, session), request, earlier);
    call.start();
    return call;
  }

  close(): void {
    clearInterval(this.#beat);
    this.#setup.store.delete(nodeKey(this.#node)).catch((error: Error) => this.#setup.onproblem(error));
  }

  #record(call: HeldCall): ParkedRecord | undefined {
    const { request, earlier, slot } = call;
    const { resume, caller } = slot.session;
    if (earlier === undefined || resume === undefined) return undefined;
    return { node: this.#node, request, earlier, session: resume, caller };
  }

  /** Gives signs of life from the first parked call on. */
  async #live(): Promise<void> {
    if (this.#beat !== undefined) return;
    const { store, leaseMs } = this.#setup;
    const beat = (): Promise<unknown> => store.put(nodeKey(this.#node), true, { ttlMs: leaseMs });
    this.#beat = setInterval(() => void beat().catch((error: Error) => this.#setup.onproblem(error)), leaseMs / 3);
    this.#beat.unref();
    await beat();
  }

  /** A process that was killed a moment ago still has its lease. */
  async #isGone(node: string): Promise<boolean> {
    for (let waited = 0; waited <= this.#setup.leaseMs; waited += 100) {
      if ((await this.#setup.store.get(nodeKey(node))) === undefined) return true;
      await new Promise<void>((resolve) => setTimeout(resolve, 100));
    }
    return false;
  }
}

function parkKey(id: string): string {
  return `${PREFIX}park/${id}`;
}

function nodeKey(node: string): string {
  return `${PREFIX}node/${node}`;
}
