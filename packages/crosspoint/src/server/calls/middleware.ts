import type { JSONRPCNotification, JsonObject } from '../../jsonrpc/message.ts';
import { HANDLED, runChain, tellConnected, type Middleware, type Operation } from '../../protocol/operation.ts';
import type { Inbound, Outcome } from '../../protocol/outcome.ts';
import { InputRequired } from '../asking/input-required.ts';
import type { Asker } from '../asking/asker.ts';
import { isSuspension } from '../asking/suspension.ts';
import type { Connection } from '../session/connection.ts';
import type { Call } from './call.ts';
import type { Caller, ServerContext } from './context.ts';
import type { ServerCore } from '../core.ts';
import type { HandledRequest, NotificationHandler } from './handler.ts';

/** A request or notification that a server gets. */
export interface ServerOperation extends Operation {
  readonly side: 'server';
  readonly direction: 'incoming';
  /** The sender: its token, and what it declares of itself. */
  readonly caller: Caller;
  /** The context of a request, as its handler gets it; a notification has none. */
  readonly context: ServerContext | undefined;
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

  /** Begins the call and waits for its end, or for its abortion. */
  begin(): Promise<Outcome> {
    const call = this.#call;
    return new Promise((resolve, reject) => {
      const { signal } = call;
      const left = (): void => this.#settle?.({ error: signal.reason });
      this.#state = 'begun';
      this.#settle = (settled) => {
        this.#state = 'settled';
        if ('error' in settled || settled.outcome.kind === 'complete') call.asker = asOver(call.asker);
        signal.removeEventListener('abort', left);
        if ('error' in settled) reject(settled.error);
        else resolve(settled.outcome);
      };
      signal.addEventListener('abort', left, { once: true });
      if (signal.aborted) return left();
      try {
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
      return runChain(this.#all, operationOf(ctx), (params) => {
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

  /** Runs the chain around a call that another server carries out with this one's handlers. A suspension is thrown. */
  async pass(
    ctx: ServerContext,
    request: HandledRequest,
    last: (params: JsonObject) => JsonObject | Promise<JsonObject>,
  ): Promise<JsonObject> {
    let asked: InputRequired | undefined;
    const outcome = await runChain(this.#all, { ...operationOf(ctx), ...request }, async (params) => {
      const result: unknown = await last(params);
      if (!(result instanceof InputRequired)) return { kind: 'complete', result: result as JsonObject };
      asked = result;
      return { kind: 'input-required', asks: result.asks };
    });
    return outcome.kind === 'complete' ? outcome.result : (asked as object as JsonObject);
  }

  async hear(
    notification: JSONRPCNotification,
    connection: Connection | undefined,
    caller: Caller,
    handler: NotificationHandler | undefined,
  ): Promise<void> {
    const operation: ServerOperation = {
      side: 'server',
      direction: 'incoming',
      kind: 'notification',
      method: notification.method,
      params: notification.params ?? {},
      requestId: undefined,
      sessionId: caller.sessionId,
      protocolVersion: connection?.session?.revision.id,
      carrier: connection?.transport.carrier,
      principal: caller.principal,
      caller,
      context: undefined,
    };
    await runChain(this.#all, operation, async (params) => {
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

function operationOf(ctx: ServerContext): ServerOperation {
  return {
    side: 'server',
    direction: 'incoming',
    kind: 'request',
    method: ctx.inbound.method,
    params: ctx.inbound.params,
    requestId: ctx.requestId,
    sessionId: ctx.sessionId,
    protocolVersion: ctx.protocolVersion,
    carrier: ctx.requestInfo === undefined ? ctx.call.edge.carrier : 'http',
    principal: ctx.principal,
    caller: ctx,
    context: ctx,
  };
}
