import { report } from '../../protocol/guard.ts';
import type { HttpReply, HttpRequest } from '../../transports/http/exchange.ts';
import { FetchHttpReply, FetchHttpRequest, type FetchExtras } from '../../transports/http/fetch.ts';
import {
  NodeHttpReply,
  NodeHttpRequest,
  type NodeRequest,
  type NodeResponse,
} from '../../transports/http/node-exchange.ts';
import { jsonAnswer, type Answer } from './answer.ts';
import { OAuthFault } from './oauth-fault.ts';

/** Routes in the forms in which programs want them. */
export interface Served {
  /** For runtimes and frameworks that speak the web's `Request` and `Response`; 404 for what is not served here. */
  fetch(request: Request, extras?: FetchExtras): Promise<Response>;
  /** For `node:http`; 404 for what is not served here. */
  node(request: NodeRequest, response: NodeResponse): Promise<void>;
  /** For Express and its like, at the root of the application; passes on what is not served here. */
  router(request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void): void;
  /** Whether a path is served here. */
  serves(path: string): boolean;
}

export interface Routes {
  serves(path: string): boolean;
  /** Asked for paths that are served. */
  answer(request: HttpRequest): Promise<Answer>;
  onproblem?: ((problem: Error) => void) | undefined;
}

const NOT_FOUND = { error: 'not_found', error_description: 'There is nothing here.' };

export function serveRoutes(routes: Routes): Served {
  const handle = async (request: HttpRequest, reply: HttpReply): Promise<void> => {
    let answer: Answer;
    try {
      answer = routes.serves(request.path) ? await routes.answer(request) : jsonAnswer(404, NOT_FOUND);
    } catch (error) {
      report((problem) => routes.onproblem?.(problem), error);
      answer = jsonAnswer(500, new OAuthFault('server_error', 'Internal error').toResponseObject());
    }
    reply.send(answer.status, answer.headers, answer.body);
  };
  const node = (request: NodeRequest, response: NodeResponse): Promise<void> =>
    handle(new NodeHttpRequest(request, undefined), new NodeHttpReply(response));
  return {
    async fetch(request, extras = {}) {
      const reply = new FetchHttpReply(request.signal);
      await handle(new FetchHttpRequest(request, extras), reply);
      return reply.response;
    },
    node,
    router(request, response, next) {
      if (!routes.serves(new NodeHttpRequest(request, undefined).path)) return next();
      void passErrors(node(request, response), next);
    },
    serves: (path) => routes.serves(path),
  };
}

async function passErrors(work: Promise<void>, next: (error?: unknown) => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    next(error);
  }
}
