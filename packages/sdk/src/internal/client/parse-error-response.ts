import { parseErrorResponse as parse } from 'crosspoint/auth';
import { CustomOAuthError, OAUTH_ERRORS, type OAuthError } from '../../server/auth/errors.ts';

/** The error of an authorization server, in the class for its code. */
export async function parseErrorResponse(input: Response | string): Promise<OAuthError> {
  const { code, description = '', errorUri } = await parse(input);
  const known = Object.hasOwn(OAUTH_ERRORS, code) ? OAUTH_ERRORS[code] : undefined;
  return known ? new known(description, errorUri) : new CustomOAuthError(code, description, errorUri);
}
