import { CustomOAuthError, OAUTH_ERRORS, ServerError, type OAuthError } from '../server/auth/errors.ts';

const SHOWN = 200;

/** The error that an authorization server answered with, in the class that its code has. */
export async function parseErrorResponse(input: Response | string): Promise<OAuthError> {
  const [status, text] = typeof input === 'string' ? [undefined, input] : [input.status, await input.text()];
  const { error: code, error_description: description, error_uri: uri } = readObject(text);
  if (typeof code !== 'string')
    return new ServerError(
      `${status === undefined ? '' : `HTTP ${status}: `}the answer is no OAuth error: ${text.slice(0, SHOWN)}`,
    );
  const message = typeof description === 'string' ? description : '';
  const errorUri = typeof uri === 'string' ? uri : undefined;
  const known = Object.hasOwn(OAUTH_ERRORS, code) ? OAUTH_ERRORS[code] : undefined;
  return known ? new known(message, errorUri) : new CustomOAuthError(code, message, errorUri);
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
