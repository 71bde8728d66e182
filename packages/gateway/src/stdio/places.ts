import { ProtocolError } from 'crosspoint/client/stdio';

export interface PlaceLimits {
  /** Most places that are taken at a time. */
  readonly max: number;
  /** Most places of one named owner. An owner without a name is bounded by `max` alone: it stands for all of them. */
  readonly maxPerOwner: number;
  /** Most requests for a place that wait. */
  readonly maxWaiting: number;
  /** Milliseconds that a request waits. */
  readonly waitMs: number;
}

/** The right to run one process. */
export interface Place {
  /** Gives the place back; later calls do nothing. */
  release(): void;
}

interface Waiting {
  readonly owner: string | undefined;
  give(place: Place): void;
  refuse(error: Error): void;
}

/** Bounds how many processes run. Requests wait in the order in which they came; one whose owner has all it may have holds up no other. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #byOwner = new Map<string, number>();
  #waiting: Waiting[] = [];
  #taken = 0;
  #closed: Error | undefined;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Takes a place at once or as soon as there is one. Rejects when none came in time, when too many wait, or with the reason of the signal. */
  async take(owner: string | undefined, signal?: AbortSignal): Promise<Place> {
    signal?.throwIfAborted();
    this.check();
    if (this.#hasRoomFor(owner)) return this.#give(owner);
    if (this.#waiting.length >= this.#limits.maxWaiting) throw this.#full(owner, 'and too many callers wait already');
    return this.#wait(owner, signal);
  }

  /** Throws when this was closed. */
  check(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }

  /** Refuses all that wait, and every later request. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const one of this.#waiting.splice(0)) one.refuse(reason);
  }

  #wait(owner: string | undefined, signal: AbortSignal | undefined): Promise<Place> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onabort);
        this.#waiting = this.#waiting.filter((one) => one !== entry);
      };
      const entry: Waiting = {
        owner,
        give(place) {
          leave();
          resolve(place);
        },
        refuse(error) {
          leave();
          reject(error);
        },
      };
      const onabort = (): void => entry.refuse(signal?.reason as Error);
      const { waitMs } = this.#limits;
      const timer = setTimeout(() => entry.refuse(this.#full(owner, `and none ended within ${waitMs} ms`)), waitMs);
      signal?.addEventListener('abort', onabort, { once: true });
      this.#waiting.push(entry);
    });
  }

  #hasRoomFor(owner: string | undefined): boolean {
    if (this.#taken >= this.#limits.max) return false;
    return owner === undefined || (this.#byOwner.get(owner) ?? 0) < this.#limits.maxPerOwner;
  }

  #give(owner: string | undefined): Place {
    this.#count(owner, 1);
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#count(owner, -1);
        this.#serve();
      },
    };
  }

  #count(owner: string | undefined, change: 1 | -1): void {
    this.#taken += change;
    if (owner === undefined) return;
    const count = (this.#byOwner.get(owner) ?? 0) + change;
    if (count === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, count);
  }

  #serve(): void {
    for (const one of this.#waiting) if (this.#hasRoomFor(one.owner)) one.give(this.#give(one.owner));
  }

  #full(owner: string | undefined, why: string): ProtocolError {
    const { max, maxPerOwner, waitMs } = this.#limits;
    const isOwn = owner !== undefined && (this.#byOwner.get(owner) ?? 0) >= maxPerOwner;
    const what = isOwn
      ? `This caller has ${processes(maxPerOwner)} of the server, which is as many as one caller may have`
      : `The server runs in ${processes(max)}, which is as many as there may be`;
    return new ProtocolError('rate-limited', `${what}, ${why}. Try again later.`, {
      reason: isOwn ? 'too-many-children-of-caller' : 'too-many-children',
      retryAfterMs: waitMs,
    });
  }
}

const processes = (count: number): string => (count === 1 ? '1 process' : `${count} processes`);
