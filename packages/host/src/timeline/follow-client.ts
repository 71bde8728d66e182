import type { ClientMiddleware, ClientOperation, RequestId } from 'crosspoint/client';
import { isSecretName } from '../config/hidden-values.ts';
import { isObject, type JsonObject } from '../values/json.ts';
import type { OpenSpan } from '../tracing/tracing.ts';
import type { LiveSpan } from './span-writer.ts';
import type { SpanRecord } from './trace-store.ts';

/** How the messages of a client are reported. */
export interface ClientPort {
  /** Begins a request to the server. */
  request(facts: JsonObject): LiveSpan;
  /** Begins a request of the server, under the request that it came for, where that is known. */
  asked(facts: JsonObject, cause: SpanRecord | undefined): LiveSpan;
  run<T>(span: LiveSpan, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** The connection has ended. */
  lost(error: Error | undefined): void;
  learn(secret: string): void;
}

/** Too frequent to tell anything, and without a cause. */
const UNTOLD: ReadonlySet<string> = new Set(['ping']);

/** A middleware whose requests, in both directions, are spans. */
export function followClient(port: ClientPort): ClientMiddleware {
  const sent = new Map<ClientOperation, SpanRecord>();
  const causeOf = (id: RequestId | null | undefined): SpanRecord | undefined => {
    if (id === undefined || id === null) return undefined;
    for (const [{ requestId }, record] of sent) if (requestId === id) return record;
    return undefined;
  };
  const middleware: ClientMiddleware = (operation, next) => {
    const { kind, direction, method, params } = operation;
    if (kind === 'notification' || UNTOLD.has(method)) return next();
    if (direction === 'incoming') {
      const span = port.asked({ name: method }, causeOf(operation.context?.relatedRequestId));
      return port.run(span, async () => {
        const outcome = await next();
        if (outcome.kind === 'complete') learnAnswers(port, params as JsonObject, outcome.result as JsonObject);
        return outcome;
      });
    }
    const span = port.request({ name: method, ...subjectOf(params as JsonObject) });
    if (span.record !== undefined) sent.set(operation, span.record);
    return port
      .run(span, async (open) => {
        const outcome = await next();
        if (outcome.kind !== 'complete') open.set({ outcome: outcome.kind });
        return outcome;
      })
      .finally(() => sent.delete(operation));
  };
  middleware.onconnection = () => (error) => port.lost(error);
  return middleware;
}

/** The members of params that say what a request is about. */
function subjectOf({ name, uri, taskId }: JsonObject): JsonObject {
  return {
    ...(typeof name === 'string' && { of: name }),
    ...(typeof uri === 'string' && { uri }),
    ...(typeof taskId === 'string' && { task: taskId }),
  };
}

/** A text that may be a password: at least 8 characters, one of them no letter, and no space. */
const PASSWORD_LIKE = /^(?=[^\s]*[^a-zA-Z\s])[^\s]{8,200}$/;

/** Answers to a form that may be secrets, whatever their field is called: the server may repeat them anywhere. */
function learnAnswers(port: ClientPort, { requestedSchema }: JsonObject, { content }: JsonObject): void {
  const fields = isObject(requestedSchema) ? requestedSchema['properties'] : undefined;
  if (!isObject(content)) return;
  for (const [name, value] of Object.entries(content)) {
    const field = isObject(fields) ? fields[name] : undefined;
    const { format, writeOnly, title } = isObject(field) ? field : {};
    const isSecret =
      format === 'password' ||
      writeOnly === true ||
      isSecretName(name) ||
      (typeof title === 'string' && isSecretName(title)) ||
      (typeof value === 'string' && PASSWORD_LIKE.test(value));
    if (isSecret && (typeof value === 'string' || typeof value === 'number')) port.learn(String(value));
  }
}
