import type { JsonObject } from '../values/json.ts';

/** A call that is being decided on or carried out. */
export interface RunningCall {
  readonly id: string;
  /** The name of the tool in the catalogue. */
  readonly tool: string;
  readonly server: string;
  readonly arguments: JsonObject;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** `asking`: the user decides. `cancelling`: it was cancelled, and ends. */
  readonly state: 'asking' | 'running' | 'cancelling';
}

interface Entry {
  call: RunningCall;
  readonly controller: AbortController;
}

/** The calls of a host that have not ended. */
export class RunningCalls {
  readonly #entries = new Map<string, Entry>();
  readonly #onchange: (call: RunningCall, isOver: boolean) => void;

  constructor(onchange: (call: RunningCall, isOver: boolean) => void) {
    this.#onchange = onchange;
  }

  list(): readonly RunningCall[] {
    return [...this.#entries.values()].map(({ call }) => call);
  }

  /** Cancels a call: the server is told. False when no such call runs. */
  cancel(id: string, reason: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    this.become(id, 'cancelling');
    entry.controller.abort(new DOMException(reason, 'AbortError'));
    return true;
  }

  cancelAll(reason: string): void {
    for (const id of this.#entries.keys()) this.cancel(id, reason);
  }

  /** Runs `work` as a call that can be cancelled here, and by `signal`. */
  async run<T>(
    call: Omit<RunningCall, 'startedAt' | 'state'>,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const entry: Entry = {
      call: { ...call, startedAt: Date.now(), state: 'asking' },
      controller: new AbortController(),
    };
    const onabort = (): void => {
      this.become(call.id, 'cancelling');
      entry.controller.abort(signal?.reason);
    };
    this.#entries.set(call.id, entry);
    this.#onchange(entry.call, false);
    if (signal?.aborted === true) onabort();
    else signal?.addEventListener('abort', onabort, { once: true });
    try {
      return await work(entry.controller.signal);
    } finally {
      signal?.removeEventListener('abort', onabort);
      this.#entries.delete(call.id);
      this.#onchange(entry.call, true);
    }
  }

  become(id: string, state: RunningCall['state']): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.call.state === 'cancelling') return;
    entry.call = { ...entry.call, state };
    this.#onchange(entry.call, false);
  }
}
