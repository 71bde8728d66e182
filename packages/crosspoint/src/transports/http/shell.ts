import { report } from '../../protocol/guard.ts';
import { TOO_MANY_QUEUED, refuse } from './answers.ts';
import type { HttpReply, HttpRequest } from './exchange.ts';
import { FetchHttpReply, FetchHttpRequest, type FetchExtras, type FetchReplyOptions } from './fetch.ts';
import { NodeHttpReply, NodeHttpRequest, type NodeRequest, type NodeResponse } from './node-exchange.ts';

/** Serves the exchanges of a listener. */
export interface Shell extends FetchReplyOptions {
  serve(request: HttpRequest, reply: HttpReply): Promise<void> | void;
}

/** Where every request of Node begins. Never throws, and never rejects: what goes wrong is answered with 500, and reported. */
export async function serveNode(
  shell: Shell,
  request: NodeRequest,
  response: NodeResponse,
  parsedBody?: unknown,
): Promise<void> {
  const reply = new NodeHttpReply(response, shell);
  try {
    if (!reply.mayBegin) return refuse(reply, TOO_MANY_QUEUED);
    await shell.serve(new NodeHttpRequest(request, parsedBody), reply);
  } catch (error) {
    failed(shell, reply, error);
  }
}

/** Where every web request begins. Never rejects: what goes wrong is answered with 500, and reported. */
export async function serveFetch(shell: Shell, request: Request, extras: FetchExtras = {}): Promise<Response> {
  const reply = new FetchHttpReply(request.signal, shell);
  try {
    await shell.serve(new FetchHttpRequest(request, extras), reply);
  } catch (error) {
    failed(shell, reply, error);
  }
  return reply.response;
}

function failed({ onproblem }: Shell, reply: NodeHttpReply | FetchHttpReply, error: unknown): void {
  report(onproblem, error);
  try {
    reply.fail();
  } catch (unanswered) {
    report(onproblem, unanswered);
  }
}
