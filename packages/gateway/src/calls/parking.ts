import { ProtocolError } from 'crosspoint/client';
import type { Slot } from '../upstream/upstream-sessions.ts';
import type { HeldCall } from './held-call.ts';
import type { ParkedRecords } from './parked-records.ts';

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

/**
 * Calls whose server waits for an answer while their client has no request open: bounded in number and time, claimed once. With records in a store, a call
 * whose stream can be resumed survives the process.
 */
export class Parking {
  readonly #limits: ParkingLimits;
  readonly #records: ParkedRecords | undefined;
  readonly #parked = new Map<string, Parked>();

  constructor(limits: ParkingLimits, records?: ParkedRecords) {
    this.#limits = limits;
    this.#records = records;
  }

  get size(): number {
    return this.#parked.size;
  }

  /** Keeps a call until it is claimed or its time is over, and returns the name for it. Rejects when there is no room. */
  async park(call: HeldCall, owner: string): Promise<string> {
    this.#refuseTooMany(owner);
    const id = crypto.randomUUID();
    const timer = setTimeout(() => void this.#expire(id), this.#limits.forMs);
    timer.unref();
    call.attach(undefined);
    call.slot.isParked = true;
    this.#parked.set(id, { call, owner, timer });
    await this.#records?.keep(id, call, this.#limits.forMs);
    return id;
  }

  /** Takes a parked call out, once. `undefined`: its time is over, it was claimed before, or it was lost with its process. */
  async claim(id: string): Promise<HeldCall | undefined> {
    const parked = this.#parked.get(id);
    if (parked === undefined) return this.#records?.restore(id);
    this.#forget(id, parked);
    parked.call.slot.isParked = false;
    await this.#records?.forget(id);
    return parked.call;
  }

  /** Ends all parked calls at the server, but for those that another process can go on with: their sessions are returned. */
  close(): Set<Slot['session']> {
    const left = new Set<Slot['session']>();
    for (const [id, parked] of this.#parked) {
      this.#forget(id, parked);
      if (this.#records?.survives(parked.call) === true) left.add(parked.call.slot.session);
      else parked.call.cancel('The bridge is closing.');
    }
    this.#records?.close();
    return left;
  }

  async #expire(id: string): Promise<void> {
    const parked = this.#parked.get(id);
    if (parked === undefined) return;
    this.#forget(id, parked);
    parked.call.cancel('The client did not come back with its answers.');
    await this.#records?.forget(id);
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
