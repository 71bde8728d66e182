import type { JsonObject, RequestId } from '../../jsonrpc/message.ts';
import type { MessageSchema } from '../../peer/method-of.ts';
import type { ElicitParams, ElicitResult } from '../../protocol/elicitation/elicitation.ts';
import type { LoggingLevel } from '../../protocol/logging.ts';
import type { RequestMeta, RequestMethod, ResultTypeMap } from '../../protocol/messages/message-types.ts';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/sampling.ts';
import type { AuthInfo } from '../../transports/transport.ts';
import type { CallOptions } from './call-options.ts';
import type { ServerContext } from './context.ts';

interface Message {
  method: string;
  params?: JsonObject | undefined;
}

/** Sends a request to the client; the result is that of the method, or the one that the schema parses. */
interface Send {
  <Method extends RequestMethod>(
    request: { method: Method; params?: JsonObject },
    options?: CallOptions,
  ): Promise<ResultTypeMap[Method]>;
  <T>(request: Message, resultSchema: MessageSchema<T>, options?: CallOptions): Promise<T>;
}

/** Returns the state that a client brought back: unsealed, and parsed where it is JSON. */
export type RequestStateAccessor = <T = unknown>() => T | undefined;

/** A request as handlers written for v2 of the official SDK know it. */
export class McpRequestView {
  readonly #ctx: ServerContext;

  constructor(ctx: ServerContext) {
    this.#ctx = ctx;
  }

  get id(): RequestId {
    return this.#ctx.requestId;
  }
  get method(): string {
    return this.#ctx.inbound.method;
  }
  get _meta(): RequestMeta | undefined {
    return this.#ctx._meta;
  }
  get signal(): AbortSignal {
    return this.#ctx.signal;
  }
  get inputResponses(): JsonObject | undefined {
    return this.#ctx.inputResponses;
  }
  get requestState(): RequestStateAccessor {
    const { requestState } = this.#ctx;
    return <T>() => requestState as T | undefined;
  }
  get send(): Send {
    const { sendRequest } = this.#ctx;
    return async (request: Message, schemaOrOptions?: MessageSchema | CallOptions, options?: CallOptions) => {
      const isSchema = schemaOrOptions !== undefined && 'parse' in schemaOrOptions;
      return isSchema
        ? sendRequest(request, schemaOrOptions, options)
        : sendRequest(request, undefined, schemaOrOptions);
    };
  }
  get notify(): (notification: Message) => Promise<void> {
    return this.#ctx.sendNotification;
  }
  get log(): (level: LoggingLevel, data: unknown, logger?: string) => Promise<void> {
    const { log } = this.#ctx;
    return async (level, data, logger) => log(level, data, logger);
  }
  get elicitInput(): (params: ElicitParams, options?: CallOptions) => Promise<ElicitResult> {
    const { elicit } = this.#ctx;
    return (params, options) => elicit(params, options);
  }
  get requestSampling(): (params: CreateMessageParams, options?: CallOptions) => Promise<CreateMessageResult> {
    return this.#ctx.sample;
  }
}

/** The HTTP request behind a call, where there is one. */
export interface HttpView {
  readonly authInfo: AuthInfo | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly closeSSE: (() => void) | undefined;
  readonly closeStandaloneSSE: (() => void) | undefined;
}

export function httpViewOf(ctx: ServerContext): HttpView | undefined {
  const { requestInfo, authInfo, closeSSEStream, closeStandaloneSSEStream } = ctx;
  if (requestInfo === undefined) return undefined;
  return {
    authInfo,
    headers: requestInfo.headers,
    closeSSE: closeSSEStream,
    closeStandaloneSSE: closeStandaloneSSEStream,
  };
}
