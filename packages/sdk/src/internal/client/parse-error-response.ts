import { parseErrorResponse as parse } from 'crosspoint/auth';
import { CustomOAuthError, OAUTH_ERRORS, type OAuthError } from '../../server/auth/errors.ts';

/** The error that an authorization server answered with, in the class that its code has. */
export async function parseErrorResponse(input: Response | string): Promise<OAuthError> {
  const { code, description = '', errorUri } = await parse(input);
  const known = Object.hasOwn(OAUTH_ERRORS, code) ? OAUTH_ERRORS[code] : undefined;
  return known ? new known(description, errorUri) : new CustomOAuthError(code, description, errorUri);
}
