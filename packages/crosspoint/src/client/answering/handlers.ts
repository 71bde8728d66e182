import type { JSONRPCRequest, JsonObject, RequestId } from '../../jsonrpc/message.ts';
import { methodOf, parseWith } from '../../peer/method-of.ts';
import type { Progress } from '../../peer/progress.ts';
import { hasCapability, type ClientCapabilities } from '../../protocol/capabilities.ts';
import type { ElicitParams, ElicitResult } from '../../protocol/elicitation/elicitation.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { AskMethod } from '../../protocol/outcome.ts';
import type { ListRootsResult } from '../../protocol/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/sampling.ts';
import type { MessageExtraInfo } from '../../transports/transport.ts';
import type { RequestOptions } from '../calls/request-options.ts';
import type { ResultSchema } from '../calls/result-schema.ts';

/** A request or notification as programs write and read it. */
export interface Message<Params = JsonObject> {
  method: string;
  params?: Params;
}

/** Context of the request that a handler answers, whether it came as a request or inside a result. */
export interface RequestHandlerExtra extends MessageExtraInfo {
  /** Aborted when the server cancels, and when the connection or the call that asked ends. */
  readonly signal: AbortSignal;
  /** Id of the server's request; for a question inside a result, the id of the call that was answered with it. */
  readonly requestId: RequestId;
  readonly _meta?: JsonObject;
  readonly sessionId?: string;
  sendNotification(notification: Message): Promise<void>;
  sendRequest(request: Message): Promise<JsonObject>;
  sendRequest<T>(request: Message, resultSchema: ResultSchema<T>, options?: RequestOptions): Promise<T>;
  /** Sends progress; does nothing when the server asked for none. */
  reportProgress(progress: Progress): void;
}

export type RequestHandler<Params = JsonObject, Result = object> = (
  request: { method: string; params: Params },
  extra: RequestHandlerExtra,
) => Result | Promise<Result>;

/** `relatedRequestId`: see `MessageExtraInfo`. */
export type NotificationHandler = (
  notification: Message,
  extra: Pick<MessageExtraInfo, 'relatedRequestId'>,
) => void | Promise<void>;

/** The three questions that a server may ask a client. */
export interface AskHandlers {
  'elicitation/create': RequestHandler<ElicitParams, ElicitResult>;
  'sampling/createMessage': RequestHandler<CreateMessageParams, CreateMessageResult>;
  'roots/list': RequestHandler<{ _meta?: JsonObject } | undefined, ListRootsResult>;
}

/** The handler of a method: typed for the three questions, any for others. */
export type HandlerFor<Method> = Method extends keyof AskHandlers ? AskHandlers[Method] : RequestHandler;

/** A schema for a whole message, such as a zod object. */
export type MessageSchema = ResultSchema;
export type SchemaOutput<T> = T extends ResultSchema<infer Output> ? Output : never;

/** The capability that a client must declare to be asked each question. */
export const ASK_CAPABILITIES: Readonly<Record<AskMethod, keyof ClientCapabilities>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

export function neededCapability(method: string): keyof ClientCapabilities | undefined {
  return Object.hasOwn(ASK_CAPABILITIES, method) ? ASK_CAPABILITIES[method as AskMethod] : undefined;
}

type Fallback = (request: JSONRPCRequest, extra: RequestHandlerExtra) => object | Promise<object>;

/** The program's handlers by method. */
export class Handlers {
  readonly #requests = new Map<string, RequestHandler>();
  readonly #notifications = new Map<string, NotificationHandler>();
  readonly #capabilities: () => ClientCapabilities;
  fallbackRequest: Fallback | undefined;
  fallbackNotification: NotificationHandler | undefined;

  constructor(capabilities: () => ClientCapabilities) {
    this.#capabilities = capabilities;
    this.#requests.set('ping', () => ({}));
  }

  /** Throws when the capability behind the question was not declared: the server would never ask it. */
  setRequest(schemaOrMethod: unknown, handler: RequestHandler): void {
    const method = methodOf(schemaOrMethod);
    const needed = neededCapability(method);
    if (needed !== undefined && !hasCapability(this.#capabilities(), needed)) {
      throw new TypeError(
        `A handler for ${method} needs the client capability "${needed}": declare it with { capabilities: { ${needed}: {} } } of new Client(…), or with registerCapabilities.`,
      );
    }
    this.#requests.set(method, (request, extra) => handler(parsed(schemaOrMethod, request), extra));
  }

  setNotification(schemaOrMethod: unknown, handler: NotificationHandler): void {
    this.#notifications.set(methodOf(schemaOrMethod), (notification, extra) =>
      handler(parsed(schemaOrMethod, notification), extra),
    );
  }

  removeRequest(method: string): void {
    this.#requests.delete(method);
  }

  removeNotification(method: string): void {
    this.#notifications.delete(method);
  }

  hasRequest(method: string): boolean {
    return this.#requests.has(method);
  }

  requestHandler(method: string): RequestHandler | undefined {
    const handler = this.#requests.get(method);
    if (handler !== undefined) return handler;
    const fallback = this.fallbackRequest;
    return fallback && ((request, extra) => fallback({ jsonrpc: '2.0', id: extra.requestId, ...request }, extra));
  }

  notificationHandler(method: string): NotificationHandler | undefined {
    return this.#notifications.get(method) ?? this.fallbackNotification;
  }
}

function parsed<T extends { method: string }>(schemaOrMethod: unknown, message: T): T {
  try {
    return parseWith(schemaOrMethod, message);
  } catch (error) {
    throw new ProtocolError(
      'invalid-params',
      `The params of ${message.method} do not match the schema of its handler.`,
      undefined,
      { cause: error },
    );
  }
}
