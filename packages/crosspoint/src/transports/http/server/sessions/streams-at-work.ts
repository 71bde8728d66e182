import type { RequestId } from '../../../../jsonrpc/message.ts';
import { IdTable } from '../../../../peer/id-table.ts';
import type { TransportSide } from '../../../transport.ts';
import type { SessionStream } from './session-stream.ts';

/** The stream of each pending request. */
export class StreamsAtWork extends IdTable<SessionStream> {
  /** Ids in use have been refused before. */
  add(id: RequestId, stream: SessionStream): void {
    stream.owed += 1;
    this.set(id, stream);
  }

  /** The request needs no answer any more. */
  override delete(id: RequestId): void {
    const stream = this.get(id);
    if (stream === undefined) return;
    stream.owed -= 1;
    super.delete(id);
  }

  forget(stream: SessionStream): void {
    for (const id of this.idsOf(stream)) this.delete(id);
  }

  /** In no particular order. */
  idsOf(stream: SessionStream): readonly RequestId[] {
    return this.entries().flatMap(([id, one]) => (one === stream ? [id] : []));
  }

  streams(): readonly SessionStream[] {
    return this.entries().map(([, stream]) => stream);
  }
}

/** Shared by idle sessions, of which there may be many. Never modified. */
export const NO_WORK: StreamsAtWork = new StreamsAtWork();

/** The side of sessions that are not connected yet. */
export const NO_SIDE: TransportSide = {};
