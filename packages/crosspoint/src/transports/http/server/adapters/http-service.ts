import { report } from '../../../../runtime/guard.ts';
import type { HttpReply, HttpRequest } from './exchange.ts';
import { FetchHttpReply, FetchHttpRequest, type FetchExtras, type FetchReplyOptions } from './fetch-exchange.ts';
import { NodeHttpReply, NodeHttpRequest, type NodeRequest, type NodeResponse } from './node-exchange.ts';
import { TOO_MANY_QUEUED, refuse } from './refuse.ts';

/** Handles the requests of a listener. */
export interface HttpService extends FetchReplyOptions {
  serve(request: HttpRequest, reply: HttpReply): Promise<void> | void;
}

/** Entry point of every Node request. Never throws and never rejects: an error is answered with 500 and reported. */
export function serveNode(
  service: HttpService,
  request: NodeRequest,
  response: NodeResponse,
  parsedBody?: unknown,
): Promise<void> {
  const reply = new NodeHttpReply(response, service);
  // Not an async function: the endpoint is one, and a second would add a promise to every request.
  try {
    if (!reply.mayBegin) refuse(reply, TOO_MANY_QUEUED);
    else
      return Promise.resolve(service.serve(new NodeHttpRequest(request, parsedBody), reply)).catch((error: unknown) =>
        failed(service, reply, error),
      );
  } catch (error) {
    failed(service, reply, error);
  }
  return Promise.resolve();
}

/** Entry point of every web request. Never rejects: an error is answered with 500 and reported. */
export async function serveFetch(service: HttpService, request: Request, extras: FetchExtras = {}): Promise<Response> {
  const reply = new FetchHttpReply(request.signal, service);
  try {
    await service.serve(new FetchHttpRequest(request, extras), reply);
  } catch (error) {
    failed(service, reply, error);
  }
  return reply.response;
}

function failed({ onproblem }: HttpService, reply: NodeHttpReply | FetchHttpReply, error: unknown): void {
  report(onproblem, error);
  try {
    reply.fail();
  } catch (unanswered) {
    report(onproblem, unanswered);
  }
}
