import type { ProtocolTasks } from '../tasks/protocol-tasks.ts';
import type { AnySchema } from '../../server/zod-compat.ts';
import {
  ErrorCode,
  McpError,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type Notification,
  type Request,
} from '../../types.ts';
import type {
  NotificationOptions,
  RequestHandlerExtra,
  RequestOptions,
  SchemaLike,
  TaskRequestOptions,
} from './protocol-options.ts';

/** The protocol, as the context of a request uses it. */
interface Sender<RequestT, NotificationT> {
  readonly tasks: ProtocolTasks;
  request(request: RequestT, resultSchema: AnySchema, options: RequestOptions): Promise<unknown>;
  notification(notification: NotificationT, options: NotificationOptions): Promise<void>;
}

type Known = MessageExtraInfo & { signal: AbortSignal; sessionId: string | undefined };

/** The context of a request for its handler. Messages that the handler sends belong to the request, and to its task where it has one. */
export function handlerExtra<RequestT extends Request, NotificationT extends Notification>(
  { tasks, ...sender }: Sender<RequestT, NotificationT>,
  asked: JSONRPCRequest,
  known: Known,
): RequestHandlerExtra<RequestT, NotificationT> {
  const { id: relatedRequestId, params } = asked;
  const { signal } = known;
  const ofTasks = tasks.extraOf(asked, known);
  return {
    ...known,
    ...ofTasks,
    requestId: relatedRequestId,
    _meta: params?._meta,
    sendNotification: async (notification) => {
      const options = { relatedRequestId, ...tasks.relatedTo(ofTasks) };
      if (!signal.aborted) await sender.notification(notification, options);
    },
    sendRequest: async <T>(request: RequestT, schema: SchemaLike<T>, options?: TaskRequestOptions): Promise<T> => {
      if (signal.aborted) throw new McpError(ErrorCode.ConnectionClosed, 'Request was cancelled');
      const related = await tasks.relating<RequestOptions>({ ...options, relatedRequestId }, ofTasks);
      return (await sender.request(request, schema as object as AnySchema, related)) as T;
    },
  };
}
