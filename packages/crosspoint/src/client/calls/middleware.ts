import type { JsonObject, RequestId } from '../../jsonrpc/message.ts';
import {
  HANDLED,
  runChain,
  tellConnected,
  type ConnectionFacts,
  type Middleware,
  type Operation,
} from '../../protocol/operation.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Message, RequestHandlerExtra } from '../answering/handlers.ts';
import type { Link } from '../connecting/link.ts';

/** An operation of a client: a request it sends, a question it answers, or a notification it receives. */
export interface ClientOperation extends Operation {
  readonly side: 'client';
  /** The handler's context, for a question of the server; `undefined` otherwise. */
  readonly context: RequestHandlerExtra | undefined;
}

export type ClientMiddleware = Middleware<ClientOperation>;

/** The middleware of one client; made with the first `use`. */
export class ClientChain {
  readonly #link: () => Link;
  #all: readonly ClientMiddleware[] = [];
  readonly #onproblem: (problem: Error) => void;
  #tellEnd: ((error?: Error) => void) | undefined;

  constructor(link: () => Link, onproblem: (problem: Error) => void) {
    this.#link = link;
    this.#onproblem = onproblem;
  }

  add(middleware: ClientMiddleware): void {
    this.#all = [...this.#all, middleware];
  }

  /** Called when a connection was made. */
  opened(): void {
    this.closed(undefined);
    this.#tellEnd = tellConnected(this.#all, this.#facts(), this.#onproblem);
  }

  closed(error: Error | undefined): void {
    const tell = this.#tellEnd;
    this.#tellEnd = undefined;
    tell?.(error);
  }

  /** Runs one request through the chain. Its outcome is a result, questions or a task. */
  send(
    call: { readonly method: string; readonly params: JsonObject; readonly id: RequestId },
    last: (params: JsonObject) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { method, params } = call;
    const operation: ClientOperation = {
      ...this.#facts(),
      direction: 'outgoing',
      kind: 'request',
      method,
      params,
      get requestId() {
        return call.id === '' ? undefined : call.id;
      },
      context: undefined,
    };
    return runChain(this.#all, operation, last);
  }

  /** Runs a question of the server through the chain. */
  async answer(
    { method, params }: { readonly method: string; readonly params: JsonObject },
    context: RequestHandlerExtra,
    last: (params: JsonObject) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { requestId } = context;
    const operation: ClientOperation = {
      ...this.#facts(),
      direction: 'incoming',
      kind: 'request',
      method,
      params,
      requestId,
      context,
    };
    const outcome = await runChain(this.#all, operation, async (changed) => ({
      kind: 'complete',
      result: await last(changed),
    }));
    if (outcome.kind !== 'complete') throw new TypeError(`The middleware must answer ${method} with a result.`);
    return outcome.result;
  }

  async hear({ method, params }: Message, last: (notification: Message) => void | Promise<void>): Promise<void> {
    const operation: ClientOperation = {
      ...this.#facts(),
      direction: 'incoming',
      kind: 'notification',
      method,
      params: params ?? {},
      requestId: undefined,
      context: undefined,
    };
    await runChain(this.#all, operation, async (changed) => {
      await last(params === undefined && changed === operation.params ? { method } : { method, params: changed });
      return HANDLED;
    });
  }

  #facts(): ConnectionFacts & { side: 'client'; principal: undefined } {
    const { transport, revision } = this.#link();
    return {
      side: 'client',
      sessionId: transport?.sessionId,
      protocolVersion: revision?.id,
      carrier: transport?.carrier ?? (transport?.hasHeaders === true ? 'http' : undefined),
      principal: undefined,
    };
  }
}
