import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { rateLimit as limitRate, type Options } from 'express-rate-limit';
import { InvalidRequestError, TooManyRequestsError } from '../../../server/auth/errors.ts';
import { allowedMethods } from '../../../server/auth/middleware/allowedMethods.ts';

/** How often one address may call an endpoint, in the options of `express-rate-limit`; `false` for no limit. */
export type RateLimit = Partial<Options> | false;

interface EndpointOptions {
  readonly methods: readonly string[];
  readonly body: 'form' | 'json';
  /** Web pages of every origin may call it and read the response. */
  readonly isForPages: boolean;
  /** The limit for one address when `rateLimit` says nothing else. */
  readonly calls: { readonly max: number; readonly minutes: number; readonly named: string };
  readonly rateLimit: RateLimit | undefined;
}

/** Longest body: far more than any OAuth request, and less than the parsers of Express take by themselves. */
const MAX_BODY = '64kb';

/** A router with everything that comes before the work of an endpoint. */
export function endpoint({ methods, body, isForPages, calls, rateLimit }: EndpointOptions): Router {
  const router = express.Router();
  router.use((_request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  if (isForPages) router.use(openToPages(methods));
  router.use(allowedMethods([...methods]));
  const limit = { limit: MAX_BODY };
  router.use(body === 'form' ? express.urlencoded({ ...limit, extended: false }) : express.json(limit), refuseBody);
  if (rateLimit !== false) router.use(limitRate({ ...defaultsOf(calls), ...rateLimit }));
  return router;
}

function defaultsOf({ max, minutes, named }: EndpointOptions['calls']): Partial<Options> {
  return {
    windowMs: minutes * 60_000,
    max,
    standardHeaders: true,
    legacyHeaders: false,
    message: new TooManyRequestsError(`You have exceeded the rate limit for ${named} requests`).toResponseObject(),
  };
}

/** Lets web pages of every origin read the response, and answers their preflight requests. */
export function openToPages(methods: readonly string[]): RequestHandler {
  return (request, response, next) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.method !== 'OPTIONS') return next();
    const { 'access-control-request-headers': headers } = request.headers;
    response.setHeader('Access-Control-Allow-Methods', methods.join(', '));
    response.setHeader('Vary', 'Access-Control-Request-Headers');
    if (headers !== undefined) response.setHeader('Access-Control-Allow-Headers', headers);
    response.status(204).end();
  };
}

/** Tells of a body that cannot be read in the words of OAuth; Express by itself would show where the error was thrown. */
const refuseBody: ErrorRequestHandler = (error: { status?: unknown } | undefined, _request, response, _next) => {
  const status = typeof error?.status === 'number' ? error.status : 400;
  response.status(status).json(new InvalidRequestError('The body of the request cannot be read').toResponseObject());
};
