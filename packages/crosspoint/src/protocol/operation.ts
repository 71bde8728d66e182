import { attempt } from '../runtime/guard.ts';
import { isJsonObject, type JsonObject, type RequestId } from '../jsonrpc/message.ts';
import type { Outcome } from './outcome.ts';

/** The kind of transport, where it is known. */
export type Carrier = 'stdio' | 'http';

/** One request or notification, as middleware sees it: the same for both sides, every revision and every transport. */
export interface Operation {
  readonly side: 'server' | 'client';
  /** Whether the operation came from the peer or goes to it. */
  readonly direction: 'incoming' | 'outgoing';
  readonly kind: 'request' | 'notification';
  readonly method: string;
  /** Params in the neutral model. Do not change them in place: pass changed ones to `next`. */
  readonly params: JsonObject;
  /** The id of a request; of an outgoing one, from the moment it is sent. */
  readonly requestId: RequestId | undefined;
  readonly sessionId: string | undefined;
  /** The revision in use. */
  readonly protocolVersion: string | undefined;
  readonly carrier: Carrier | undefined;
  /** The verified caller; `undefined` where no token was verified. */
  readonly principal: string | undefined;
}

/** Continues the operation, with other params where they are given. A notification gives a result without members. */
export type Next = (params?: JsonObject) => Promise<Outcome>;

/** A connection as middleware sees it. Members that are not settled yet are `undefined`. */
export type ConnectionFacts = Pick<Operation, 'side' | 'sessionId' | 'protocolVersion' | 'carrier'>;

/**
 * Wraps operations. It returns the outcome of `next`, or one of its own: `{ kind: 'complete', result }`. An error that it throws fails the operation.
 * In an incoming operation `next` works once and rejects when called again; an outgoing one is sent anew with every `next`.
 */
export interface Middleware<Op extends Operation = Operation> {
  (operation: Op, next: Next): Outcome | Promise<Outcome>;
  /** Called when a connection opens. The function that it returns is called when the connection has ended. */
  onconnection?(connection: ConnectionFacts): ((error?: Error) => void) | void;
}

/** Tells all middleware of a connection that opens. Returns the function that tells them of its end. */
export function tellConnected(
  chain: readonly { onconnection?: Middleware['onconnection'] }[],
  facts: ConnectionFacts,
  onproblem: (problem: Error) => void,
): (error?: Error) => void {
  const ends: ((error?: Error) => void)[] = [];
  for (const middleware of chain)
    attempt(() => {
      const end = middleware.onconnection?.(facts);
      if (typeof end === 'function') ends.push(end);
      return end;
    }, onproblem);
  return (error) => {
    for (const end of ends) attempt(() => end(error), onproblem);
  };
}

/** The outcome of a notification. */
export const HANDLED: Outcome = { kind: 'complete', result: {} };

/** Runs an operation through the middleware, from the first and outermost, to `last`. `last` begins in the same turn as the `next` that leads to it. */
export function runChain<Op extends Operation>(
  chain: readonly Middleware<Op>[],
  operation: Op,
  last: (params: JsonObject) => Promise<Outcome>,
  from = 0,
): Promise<Outcome> {
  const first = chain[from];
  if (first === undefined) return last(operation.params);
  return pass(first, operation, (params = operation.params) =>
    runChain(chain, params === operation.params ? operation : withParams(operation, params), last, from + 1),
  );
}

const ignore = (): void => {};

async function pass<Op extends Operation>(middleware: Middleware<Op>, operation: Op, go: Next): Promise<Outcome> {
  const given: Outcome[] = [];
  let isGone = false;
  const next: Next = (params) => {
    const fault =
      isGone && operation.direction === 'incoming'
        ? new TypeError(`A middleware called next() twice for ${operation.method}.`)
        : params === undefined || isJsonObject(params)
          ? undefined
          : new TypeError('The params given to next() must be an object.');
    if (fault === undefined) isGone = true;
    const going = fault === undefined ? go(params) : Promise.reject<Outcome>(fault);
    // Noted before anyone who waits goes on. A middleware that answers first may ignore the promise: its rejection must not end the process.
    going.then((outcome) => given.push(outcome), ignore);
    return going;
  };
  const outcome = await middleware(operation, next);
  if (
    !given.includes(outcome) &&
    !(isJsonObject(outcome) && outcome.kind === 'complete' && isJsonObject(outcome.result))
  )
    throw new TypeError(
      `A middleware gave no outcome for ${operation.method}: return what next() gave, or { kind: 'complete', result }.`,
    );
  return outcome;
}

/** The operation with other params. Its members may be getters, so the original stays the prototype. */
function withParams<Op extends Operation>(operation: Op, params: JsonObject): Op {
  return Object.create(operation, { params: { value: params, enumerable: true } }) as Op;
}
