import { OAUTH_ERRORS, ServerError, type OAuthError } from '../../server/auth/errors.ts';
import { OAuthErrorResponseSchema } from '../../shared/auth.ts';
import { unfollowedRedirect } from '../shared/redirects.ts';

/** The error in the answer of an authorization server, in the class for its code; `ServerError` for other codes and other answers. */
export async function parseErrorResponse(input: Response | string): Promise<OAuthError> {
  const body = typeof input === 'string' ? input : await input.text();
  try {
    const {
      error,
      error_description: description = '',
      error_uri: uri,
    } = OAuthErrorResponseSchema.parse(JSON.parse(body));
    const known = Object.hasOwn(OAUTH_ERRORS, error) ? OAUTH_ERRORS[error] : undefined;
    return new (known ?? ServerError)(description, uri);
  } catch (cause) {
    const [status, redirect] =
      typeof input === 'string'
        ? ['', undefined]
        : [`HTTP ${input.status}: `, input.url === '' ? undefined : unfollowedRedirect(input, input.url)];
    return new ServerError(
      `${status}${redirect ?? `Invalid OAuth error response: ${String(cause)}. Raw body: ${body}`}`,
    );
  }
}
