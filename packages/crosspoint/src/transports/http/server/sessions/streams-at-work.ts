import type { RequestId } from '../../../../jsonrpc/message.ts';
import type { TransportSide } from '../../../transport.ts';
import type { SessionStream } from './session-stream.ts';

/** The stream of each pending request. Most sessions have one request at a time, which needs no map; an idle session holds nothing. */
export class StreamsAtWork {
  #id: RequestId | undefined;
  /** The only one; `undefined` when there are none or several. */
  #stream: SessionStream | undefined;
  #several: Map<RequestId, SessionStream> | undefined;

  get size(): number {
    return this.#several?.size ?? (this.#stream === undefined ? 0 : 1);
  }

  get(id: RequestId): SessionStream | undefined {
    if (this.#several !== undefined) return this.#several.get(id);
    return this.#id === id ? this.#stream : undefined;
  }

  has(id: RequestId): boolean {
    return this.get(id) !== undefined;
  }

  /** Ids in use have been refused before. */
  add(id: RequestId, stream: SessionStream): void {
    stream.owed += 1;
    if (this.#several === undefined && this.#stream === undefined) {
      this.#id = id;
      this.#stream = stream;
      return;
    }
    this.#several ??= new Map(this.#entries());
    this.#several.set(id, stream);
    this.#id = this.#stream = undefined;
  }

  /** The request needs no answer any more. */
  delete(id: RequestId): void {
    const stream = this.get(id);
    if (stream === undefined) return;
    stream.owed -= 1;
    if (this.#several === undefined || this.#several.size === 1) this.clear();
    else this.#several.delete(id);
  }

  forget(stream: SessionStream): void {
    for (const id of this.idsOf(stream)) this.delete(id);
  }

  idsOf(stream: SessionStream): readonly RequestId[] {
    return this.#entries().flatMap(([id, one]) => (one === stream ? [id] : []));
  }

  streams(): readonly SessionStream[] {
    return this.#entries().map(([, stream]) => stream);
  }

  clear(): void {
    this.#id = this.#stream = this.#several = undefined;
  }

  #entries(): readonly (readonly [RequestId, SessionStream])[] {
    if (this.#several !== undefined) return [...this.#several];
    return this.#id === undefined || this.#stream === undefined ? [] : [[this.#id, this.#stream]];
  }
}

/** Shared by idle sessions, of which there may be many. Never modified. */
export const NO_WORK: StreamsAtWork = new StreamsAtWork();

/** The side of sessions that are not connected yet. */
export const NO_SIDE: TransportSide = {};
