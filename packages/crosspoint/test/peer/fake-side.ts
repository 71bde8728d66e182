import type {
  ErrorObject,
  JSONRPCBatch,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JsonObject,
  RequestId,
} from '../../src/jsonrpc/message.ts';
import { ProtocolError } from '../../src/protocol/errors.ts';
import { Peer, type PeerSide } from '../../src/peer/peer.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

export interface FakeRules {
  batches?: boolean;
  unreadableId?: null | undefined;
  mayAnswer?: boolean;
}

/** The few answers that a peer asks of a revision; every other question fails the test. */
export function fakeRevision(rules: FakeRules): Revision {
  const known: Partial<Revision> = {
    batches: rules.batches ?? false,
    unreadableId: rules.unreadableId,
    readError: ({ code, message, data }) => new ProtocolError(code, message, data),
    writeError: ({ code, message, data }) => (data === undefined ? { code, message } : { code, message, data }),
  };
  return new Proxy(known as Revision, {
    get(target, key) {
      if (!(key in target)) throw new Error(`The peer asked its revision for ${String(key)}.`);
      return target[key as keyof Revision];
    },
  });
}

/** A peer with everything around it written down. `send` may be replaced to make sending fail. */
export class FakeSide implements PeerSide {
  readonly sent: unknown[] = [];
  readonly related: (RequestId | undefined)[] = [];
  readonly requests: JSONRPCRequest[] = [];
  readonly notifications: JSONRPCNotification[] = [];
  readonly cancelled: [RequestId, string | undefined][] = [];
  readonly problems: Error[] = [];
  readonly clock: ManualClock = new ManualClock(1000);
  readonly peer: Peer;
  answer: ((request: JSONRPCRequest) => void) | undefined;
  transmit: (message: JSONRPCMessage | JSONRPCBatch) => Promise<void> | void = () => {};
  readonly #rules: FakeRules;
  readonly #revision: Revision;

  constructor(rules: FakeRules = {}) {
    this.#rules = rules;
    this.#revision = fakeRevision(rules);
    this.peer = new Peer(this, this.clock);
  }

  send(message: JSONRPCMessage | JSONRPCBatch, relatedRequestId: RequestId | undefined): Promise<void> | void {
    const result = this.transmit(message);
    this.sent.push(message);
    this.related.push(relatedRequestId);
    return result;
  }

  readError(error: ErrorObject): Error {
    return this.#revision.readError(error);
  }

  onrequest(request: JSONRPCRequest): void {
    this.requests.push(request);
    this.answer?.(request);
  }

  onnotification(notification: JSONRPCNotification): void {
    this.notifications.push(notification);
  }

  oncancel(id: RequestId, reason: string | undefined): void {
    this.cancelled.push([id, reason]);
  }

  onproblem(problem: Error): void {
    this.problems.push(problem);
  }

  revision(): Revision {
    return this.#revision;
  }

  mayAnswer(): boolean {
    return this.#rules.mayAnswer ?? true;
  }
}

export const request = (id: RequestId, method = 'm', params?: JsonObject): JSONRPCRequest =>
  params ? { jsonrpc: '2.0', id, method, params } : { jsonrpc: '2.0', id, method };

/** How a promise ended, without waiting for it longer than it takes. */
export async function settled(promise: Promise<unknown>): Promise<{ value?: unknown; error?: any }> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}
