import * as oauth from 'oauth4webapi';
import { errorMessage } from '../../runtime/guard.ts';
import { redactText } from '../../protocol/redaction/redact-text.ts';
import { OAuthError } from '../oauth-error.ts';
import { AuthFlowError, IssuerMismatchError } from './flow-error.ts';
import type { PendingAuthorization } from './pending-authorization.ts';

/**
 * Returns the code of a redirect after checking that it answers our request: the issuer must be the one that was asked, compared as text,
 * and the state the one that was sent. Nothing else in it is trusted before, errors included. `checkState` is false only for programs that
 * pass the code alone and have checked the state themselves.
 */
export function readAuthorizationResponse(
  params: URLSearchParams,
  pending: Pick<PendingAuthorization, 'issuer' | 'state' | 'metadata'>,
  checkState = true,
): string {
  checkIssuer(params, pending);
  if (checkState && !sameState(params, pending.state))
    throw new AuthFlowError(
      'callback',
      'The answer to the login has another state than the request: it may belong to another login. Log in again.',
    );
  const error = params.get('error');
  if (error !== null) throw refusal(error, params, pending.issuer);
  try {
    const checked = oauth.validateAuthResponse(
      pending.metadata as unknown as oauth.AuthorizationServer,
      { client_id: 'any' },
      params,
      oauth.skipStateCheck,
    );
    const code = checked.get('code');
    if (code !== null && code !== '' && checked.getAll('code').length === 1) return code;
  } catch (cause) {
    throw new AuthFlowError(
      'callback',
      `The answer to the login cannot be used (${errorMessage(cause)}). Log in again.`,
      {},
      { cause },
    );
  }
  throw new AuthFlowError('callback', 'The answer to the login has no code, or more than one. Log in again.');
}

function checkIssuer(
  params: URLSearchParams,
  { issuer, metadata }: Pick<PendingAuthorization, 'issuer' | 'metadata'>,
): void {
  const given = params.getAll('iss');
  const isMissing = given.length === 0 && metadata.authorization_response_iss_parameter_supported === true;
  const isOther = given.some((iss) => iss !== issuer) || given.length > 1;
  if (isMissing || isOther)
    throw new IssuerMismatchError(
      'authorization_response',
      issuer,
      given.find((iss) => iss !== issuer),
    );
}

function sameState(params: URLSearchParams, expected: string): boolean {
  const given = params.getAll('state');
  return given.length === 1 && given[0] === expected;
}

function refusal(code: string, params: URLSearchParams, issuer: string): OAuthError {
  const said = params.get('error_description');
  const description = said === null ? undefined : redactText(said.slice(0, 300));
  return new OAuthError(code, description, {
    message: `The login at ${issuer} was refused: ${code.slice(0, 100)}${description === undefined ? '' : ` (${description})`}.`,
  });
}
