import { StdioClientTransport, TransportError, type StdioServerParameters } from 'crosspoint/client/stdio';
import type { Place } from './places.ts';

export interface ChildEvents {
  /** Masks values that must not be shown. */
  hide(text: string): string;
  /** Throws when no program may be started any more. */
  check(): void;
  /** Gives a place to a program that is started again after its place was released. */
  take(): Promise<Place>;
  /** A run of the program has begun. */
  onstart(pid: number): void;
  /** A run of the program is over, with all that it started. */
  onend(pid: number | undefined): void;
  /** The place was released. */
  onrelease(): void;
}

/** Runs a server as a child process that holds a place from its start to the end of everything it started. */
export class ChildTransport extends StdioClientTransport {
  readonly #events: ChildEvents;
  #place: Place | undefined;
  #isConnecting = true;
  /** Process of the current run. */
  #current: number | undefined;

  constructor(server: StdioServerParameters, place: Place, events: ChildEvents) {
    super(server);
    this.#place = place;
    this.#events = events;
    // A client calls what was set before it was connected, too.
    this.onclose = () => {
      events.onend(this.#current);
      this.#current = undefined;
      // Connecting may start the program twice; the place is kept in between.
      if (!this.#isConnecting) this.#release();
    };
  }

  /** How the last run ended; callers are told of it, so that values are masked here. */
  override get lastFailure(): Error | undefined {
    const failure = super.lastFailure;
    if (!(failure instanceof TransportError)) return failure;
    const { code, message, details, cause } = failure;
    const { stderr } = details;
    const shown = typeof stderr === 'string' ? { ...details, stderr: this.#events.hide(stderr) } : details;
    return new TransportError(code, this.#events.hide(message), shown, { cause });
  }

  override async start(): Promise<void> {
    this.#place ??= await this.#events.take();
    try {
      this.#events.check();
      await super.start();
      this.#current = this.pid ?? undefined;
      if (this.#current !== undefined) this.#events.onstart(this.#current);
    } catch (error) {
      if (!this.#isConnecting) this.#release();
      throw error;
    }
  }

  /** To be called when connecting is over, with a process or without. */
  settle(): void {
    this.#isConnecting = false;
    if (this.pid === null) this.#release();
  }

  #release(): void {
    if (this.#place === undefined) return;
    this.#place.release();
    this.#place = undefined;
    this.#events.onrelease();
  }
}
