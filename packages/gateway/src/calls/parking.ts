import { ProtocolError } from 'crosspoint/client';
import type { HeldCall } from './held-call.ts';

export interface ParkingLimits {
  /** Milliseconds that a call waits for the answers of its client. */
  readonly forMs: number;
  /** Most parked calls at a time. */
  readonly atMost: number;
  /** Most parked calls of one caller. */
  readonly perCaller: number;
}

interface Parked {
  readonly call: HeldCall;
  readonly owner: string;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Calls whose server waits for an answer while their client has no request open: bounded in number and time, claimed once. */
export class Parking {
  readonly #limits: ParkingLimits;
  readonly #parked = new Map<string, Parked>();

  constructor(limits: ParkingLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** Keeps a call until it is claimed or its time is over, and returns the name for it. Throws when there is no room. */
  async park(call: HeldCall, owner: string): Promise<string> {
    this.#refuseTooMany(owner);
    const id = crypto.randomUUID();
    const timer = setTimeout(() => this.#expire(id), this.#limits.forMs);
    timer.unref();
    call.attach(undefined);
    call.slot.isParked = true;
    this.#parked.set(id, { call, owner, timer });
    return id;
  }

  /** Takes a parked call out, once. `undefined`: its time is over, it was claimed before, or it was never here. */
  async claim(id: string): Promise<HeldCall | undefined> {
    const parked = this.#parked.get(id);
    if (parked === undefined) return undefined;
    this.#forget(id, parked);
    parked.call.slot.isParked = false;
    return parked.call;
  }

  /** Ends all parked calls at the server. */
  close(): void {
    for (const [id, parked] of [...this.#parked]) {
      this.#forget(id, parked);
      parked.call.cancel('The bridge is closing.');
    }
  }

  #expire(id: string): void {
    const parked = this.#parked.get(id);
    if (parked === undefined) return;
    this.#forget(id, parked);
    parked.call.cancel('The client did not come back with its answers.');
  }

  #forget(id: string, { timer }: Parked): void {
    clearTimeout(timer);
    this.#parked.delete(id);
  }

  #refuseTooMany(owner: string): void {
    const { atMost, perCaller } = this.#limits;
    const own = [...this.#parked.values()].filter((parked) => parked.owner === owner).length;
    if (this.#parked.size < atMost && own < perCaller) return;
    throw new ProtocolError(
      'rate-limited',
      own < perCaller
        ? `The bridge holds ${atMost} calls that wait for answers, and takes no more.`
        : `No more than ${perCaller} calls may wait for your answers at a time.`,
    );
  }
}
