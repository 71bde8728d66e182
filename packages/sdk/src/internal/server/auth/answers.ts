import type { Response } from 'express';
import type * as z from 'zod/v4';
import { InvalidRequestError, InvalidScopeError, OAuthError, ServerError } from '../../../server/auth/errors.ts';

/** Errors that the client is not told of become a `server_error`. */
export function toldAs(error: unknown): OAuthError {
  return error instanceof OAuthError ? error : new ServerError('Internal Server Error');
}

/** Answers with an error, unless the program has begun an answer of its own: that one ends. Never throws. */
export function refuse(response: Response, error: unknown): void {
  const told = toldAs(error);
  if (response.headersSent) response.end();
  else response.status(told instanceof ServerError ? 500 : 400).json(told.toResponseObject());
}

/** The value as the schema reads it. Throws an error of the given class that says what is wrong. */
export function read<Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  Fault: new (message: string) => OAuthError = InvalidRequestError,
): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const reasons = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Fault(printable(reasons.join('; ').replace(/^: /, '')));
}

/** The characters allowed in `error_description`: printable ASCII without quotes and backslashes (RFC 6749, section 5.2). */
export function printable(text: string): string {
  return text.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?');
}

/** The scopes of a `scope` parameter; `undefined` when it is absent or empty. Throws `invalid_scope` for forbidden characters. */
export function readScopes(scope: string | undefined): string[] | undefined {
  const scopes = (scope ?? '').split(' ').filter((each) => each !== '');
  if (!scopes.every((each) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(each)))
    throw new InvalidScopeError('The scope is malformed');
  return scopes.length === 0 ? undefined : scopes;
}
