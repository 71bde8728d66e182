import type { JSONRPCNotification, JsonObject } from '../../jsonrpc/message.ts';
import { HANDLED, runChain, tellConnected, type Middleware, type Operation } from '../../protocol/operation.ts';
import type { Inbound, Outcome } from '../../protocol/outcome.ts';
import type { Asker } from '../asking/asker.ts';
import { SUSPENDED, isSuspension } from '../asking/suspension.ts';
import { callerOf } from '../callers/caller.ts';
import type { Connection } from '../session/connection.ts';
import type { Call } from './call.ts';
import type { Caller, ServerContext } from './context.ts';
import type { ServerCore } from '../core.ts';
import { completed, type HandledRequest, type NotificationHandler } from './handler.ts';

/** A request or notification that a server gets, or a question that it asks. */
export interface ServerOperation extends Operation {
  readonly side: 'server';
  /** The client that sends it, or is asked: its token, and what it declares of itself. */
  readonly caller: Caller;
  /** The context of an incoming request, as its handler gets it; notifications and questions have none. */
  readonly context: ServerContext | undefined;
  /** The request whose handler asks this question; absent for what the client sends, and for a question outside of any request. */
  readonly during?: Inbound | undefined;
}

export type ServerMiddleware = Middleware<ServerOperation>;

/** The end of a call: an outcome, or an error. */
type Settled = { readonly outcome: Outcome } | { readonly error: unknown };

/** A call that runs inside a chain: its end goes to the innermost `next` first. */
export class ChainedCall {
  readonly #call: Call;
  #state: 'before' | 'begun' | 'settled' = 'before';
  #settle: ((settled: Settled) => void) | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Whether the call has ended. Its client may not know yet. */
  get hasSettled(): boolean {
    return this.#state === 'settled';
  }

  /** Gives the chain the end of the call. False when that is for the client: the call has not begun, or a middleware has suspended it. */
  takes(settled: Settled): boolean {
    if (this.#state === 'before') return false;
    if (this.#state === 'begun') this.#settle?.(settled);
    return true;
  }

  /** A middleware asks and lets its suspension pass: what ends the call then comes from its asker. False for a call that has settled. */
  suspend(): boolean {
    if (this.#state === 'settled') return false;
    this.#state = 'before';
    return true;
  }

  /** The call was aborted. No signal is made for that. */
  left(reason: unknown): void {
    if (this.#state !== 'settled') this.#settle?.({ error: reason });
  }

  /** Begins the call and waits for its end, or for its abortion. */
  begin(): Promise<Outcome> {
    const call = this.#call;
    return new Promise((resolve, reject) => {
      this.#state = 'begun';
      this.#settle = (settled) => {
        this.#state = 'settled';
        if ('error' in settled || settled.outcome.kind === 'complete') call.asker = asOver(call.asker);
        if ('error' in settled) reject(settled.error);
        else resolve(settled.outcome);
      };
      try {
        if (call.aborted) throw call.signal.reason;
        call.begin();
      } catch (error) {
        this.#settle({ error });
      }
    });
  }
}

/** The middleware of one server; made with the first one. */
export class ServerChain {
  #all: readonly ServerMiddleware[] = [];

  add(middleware: ServerMiddleware): void {
    this.#all = [...this.#all, middleware];
  }

  /** Tells all of a new connection. The function that is returned tells them of its end. */
  opened(connection: Connection, onproblem: (problem: Error) => void): () => void {
    const facts = {
      side: 'server',
      get sessionId() {
        return connection.sessionId;
      },
      get protocolVersion() {
        return connection.session?.revision.id;
      },
      carrier: connection.transport.carrier,
    } as const;
    return tellConnected(this.#all, facts, onproblem);
  }

  /** Runs a request through the chain; the outcome of the outermost middleware goes to the client. */
  serve(call: Call): void {
    const { context: ctx, edge } = call;
    const chained = (call.chained = new ChainedCall(call));
    const { retry } = ctx.inbound;
    edge.waits();
    const begin = async (): Promise<Outcome> => {
      // A state that cannot be opened fails the call, not the middleware around it.
      const opened: { error?: unknown } = {};
      await (retry && call.openRound(retry).catch((error: unknown) => (opened.error = error)));
      return this.run(operationOf(ctx), (params) => {
        if ('error' in opened) return Promise.reject(opened.error);
        if (params !== ctx.inbound.params) replaceParams(ctx, params);
        return chained.begin();
      });
    };
    begin().then(
      (outcome) => {
        call.asker?.left?.();
        edge.finish(call, outcome);
      },
      (error: unknown) => {
        if (isSuspension(error) && chained.suspend()) return;
        call.asker?.left?.();
        if (!call.aborted) edge.fail(call, error);
      },
    );
  }

  /** Runs an operation through all of them, to `last`. */
  run(operation: ServerOperation, last: (params: JsonObject) => Promise<Outcome>): Promise<Outcome> {
    return runChain(this.#all, operation, last);
  }

  /** Runs a question to the client through the chain, for a request or outside of any. */
  async ask(
    of: ServerContext | Connection,
    { method, params }: HandledRequest,
    last: (params: JsonObject) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const about = 'session' in of ? operationOf(undefined, of) : operationOf(of);
    const operation: ServerOperation = {
      ...about,
      direction: 'outgoing',
      method,
      params,
      requestId: undefined,
      context: undefined,
      during: about.context?.inbound,
    };
    const outcome = await this.run(operation, async (changed) =>
      last(changed).then(completed, (error: unknown) => {
        if (isSuspension(error)) return { kind: 'input-required', asks: {} };
        throw error;
      }),
    );
    if (outcome.kind === 'complete') return outcome.result;
    throw SUSPENDED;
  }

  async hear(
    notification: JSONRPCNotification,
    connection: Connection | undefined,
    caller: Caller,
    handler: NotificationHandler | undefined,
  ): Promise<void> {
    const operation: ServerOperation = {
      ...operationOf(undefined, connection, caller),
      kind: 'notification',
      method: notification.method,
      params: notification.params ?? {},
    };
    await this.run(operation, async (params) => {
      await handler?.(params === operation.params ? notification : { ...notification, params }, caller);
      return HANDLED;
    });
  }
}

/** Adds a middleware around all requests and notifications from now on. */
export function addMiddleware(core: ServerCore, middleware: ServerMiddleware): void {
  core.chain ??= new ServerChain();
  core.chain.add(middleware);
}

const tooLate = (): Promise<never> =>
  Promise.reject(new TypeError('The call has come to its result: ask, and take steps, before next() is called.'));

/** The asker of a call that has ended: refuses questions and steps. */
const OVER: Asker = {
  ask: tooLate,
  step: tooLate,
  replaying: false,
  answers: undefined,
  authorState: undefined,
  ended: () => {},
};

/** The asker of a handler that goes on after its call was settled: it still records the end of the handler. */
function asOver(asker: Asker | undefined): Asker {
  if (asker === undefined) return OVER;
  return { ...OVER, ended: (ended) => asker.ended(ended), left: () => asker.left?.() };
}

function replaceParams(ctx: ServerContext, params: JsonObject): void {
  const open: { inbound: Inbound } = ctx;
  open.inbound = { ...ctx.inbound, params };
}

/** An incoming request, as far as nothing else is said: that of a context, or of no request. */
export function operationOf(ctx: ServerContext | undefined, connection?: Connection, from?: Caller): ServerOperation {
  const caller = ctx ?? from ?? callerOf(connection, undefined);
  return {
    side: 'server',
    direction: 'incoming',
    kind: 'request',
    method: ctx?.inbound.method ?? '',
    params: ctx?.inbound.params ?? {},
    requestId: ctx?.requestId,
    sessionId: caller.sessionId,
    protocolVersion: ctx?.protocolVersion ?? connection?.session?.revision.id,
    carrier: ctx?.requestInfo ? 'http' : (ctx?.call.edge.carrier ?? connection?.transport.carrier),
    principal: caller.principal,
    caller,
    context: ctx,
  };
}
