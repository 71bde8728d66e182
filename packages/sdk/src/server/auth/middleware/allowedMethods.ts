import type { RequestHandler } from 'express';
import { MethodNotAllowedError } from '../errors.ts';

/** Answers requests with any other method with 405. */
export function allowedMethods(allowedMethods: string[]): RequestHandler {
  return (request, response, next) => {
    if (allowedMethods.includes(request.method)) return next();
    const error = new MethodNotAllowedError(`The method ${request.method} is not allowed for this endpoint`);
    response.status(405).set('Allow', allowedMethods.join(', ')).json(error.toResponseObject());
  };
}
