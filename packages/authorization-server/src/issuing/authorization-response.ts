import { pageAnswer, redirectAnswer, type Answer, type HttpHeaders } from 'crosspoint/internal/auth-server';
import { OAuthError } from 'crosspoint/auth';
import type { Authority } from './authority.ts';
import type { Addressee, AuthorizationRequest } from './authorization-request.ts';
import type { Person } from '../login/login.ts';
import { goOnPage } from '../login/pages.ts';
import { isLoopbackName } from 'crosspoint/internal';

/** Issues a code for what the person has approved, and redirects the browser to the client. */
export async function grantCode(
  authority: Authority,
  asked: AuthorizationRequest,
  person: Person,
  { upstream, headers = {} }: { upstream?: string; headers?: HttpHeaders } = {},
): Promise<Answer> {
  const { client, redirectUri, challenge, scopes, resource } = asked;
  const code = await authority.grants.issueCode(
    {
      clientId: client.client_id,
      sub: person.sub,
      ...(person.name !== undefined && { name: person.name }),
      scopes,
      resource,
      ...(upstream !== undefined && { upstream }),
    },
    { challenge, redirectUri },
  );
  await authority.clients.used(client);
  return respond(authority, asked, { code }, headers);
}

export function refuseAuthorization(authority: Authority, to: Addressee, error: OAuthError): Answer {
  return respond(authority, to, { error: error.code, error_description: error.description ?? '' });
}

/**
 * Turns an error redirect into a page with a link, unless it leads to the user's own machine. Anybody can register an address and make a
 * failing request; redirecting at once would make this server an open redirector.
 */
export function askBeforeLeaving(answer: Answer, error: OAuthError): Answer {
  const url = answer.headers['Location'] ?? '';
  if (isLoopbackName(new URL(url).hostname)) return answer;
  return pageAnswer(400, goOnPage('This request failed', `${error.description ?? ''} (${error.code})`, url));
}

export function denyAuthorization(authority: Authority, to: Addressee): Answer {
  return refuseAuthorization(authority, to, new OAuthError('access_denied', 'The user denied the request.'));
}

/** Every response names its issuer, so that a client of several servers cannot mix them up (RFC 9207). */
function respond(
  { issuer }: Authority,
  { redirectUri, state }: Addressee,
  params: Record<string, string>,
  headers: HttpHeaders = {},
): Answer {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...params, ...(state !== undefined && { state }), iss: issuer }))
    url.searchParams.set(name, value);
  return redirectAnswer(url.href, headers);
}
