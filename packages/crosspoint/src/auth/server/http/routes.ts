import { report } from '../../../runtime/guard.ts';
import type { HttpReply, HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import type { FetchExtras } from '../../../transports/http/server/adapters/fetch-exchange.ts';
import {
  NodeHttpRequest,
  type NodeRequest,
  type NodeResponse,
} from '../../../transports/http/server/adapters/node-exchange.ts';
import { serveFetch, serveNode, type HttpService } from '../../../transports/http/server/adapters/http-service.ts';
import { jsonAnswer, type Answer } from './answer.ts';
import { OAuthFault } from './oauth-fault.ts';

/** Routes, in the forms that runtimes and frameworks take. */
export interface Served {
  /** For the web's `Request` and `Response`; 404 for unknown paths. */
  fetch(request: Request, extras?: FetchExtras): Promise<Response>;
  /** For `node:http`; 404 for unknown paths. */
  node(request: NodeRequest, response: NodeResponse): Promise<void>;
  /** For Express and similar, at the root of the application; calls `next` for unknown paths. */
  router(request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void): void;
  /** Whether a path is served here. */
  serves(path: string): boolean;
}

export interface Routes {
  serves(path: string): boolean;
  /** Called for served paths only. */
  answer(request: HttpRequest): Promise<Answer>;
  onproblem?: ((problem: Error) => void) | undefined;
}

const NOT_FOUND = { error: 'not_found', error_description: 'The path is not served.' };

export function serveRoutes(routes: Routes): Served {
  const onproblem = (problem: Error): void => routes.onproblem?.(problem);
  const send = (reply: HttpReply, { status, headers, body }: Answer): void => reply.send(status, headers, body);
  const service: HttpService = {
    onproblem,
    async serve(request, reply) {
      try {
        send(reply, routes.serves(request.path) ? await routes.answer(request) : jsonAnswer(404, NOT_FOUND));
      } catch (error) {
        report(onproblem, error);
        send(reply, jsonAnswer(500, new OAuthFault('server_error', 'Internal error').toResponseObject()));
      }
    },
  };
  const node: Served['node'] = (request, response) => serveNode(service, request, response);
  return {
    fetch: (request, extras) => serveFetch(service, request, extras),
    node,
    router(request, response, next) {
      if (routes.serves(new NodeHttpRequest(request, undefined).path)) void node(request, response);
      else next();
    },
    serves: (path) => routes.serves(path),
  };
}
