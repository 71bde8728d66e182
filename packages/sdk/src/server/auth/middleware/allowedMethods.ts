import type { Handler } from '../../../internal/server/auth/endpoint-handler.ts';
import { MethodNotAllowedError } from '../errors.ts';

/** Answers requests with any other method with 405. */
export function allowedMethods(methods: readonly string[]): Handler {
  return (request, response, next) => {
    if (methods.includes(request.method ?? 'GET')) return next();
    const error = new MethodNotAllowedError(`The method ${request.method} is not allowed for this endpoint`);
    response.writeHead(405, { Allow: methods.join(', '), 'Content-Type': 'application/json' });
    response.end(JSON.stringify(error.toResponseObject()));
  };
}
