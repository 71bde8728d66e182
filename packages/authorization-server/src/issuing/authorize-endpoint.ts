import { asError } from 'crosspoint/internal';
import type { HttpRequest } from 'crosspoint/server';
import { OAuthError } from 'crosspoint/auth';
import { OAuthFault, pageAnswer, statusOf, type Answer } from 'crosspoint/internal/auth-server';
import type { Authority } from './authority.ts';
import { readAddressee, readAuthorizationRequest, type Addressee } from './authorization-request.ts';
import { askBeforeLeaving, refuseAuthorization } from './authorization-response.ts';
import { isOwnForm } from '../login/browser-session.ts';
import { messagePage } from '../login/pages.ts';
import { readForm } from '../http/request-params.ts';

/**
 * The authorization endpoint. The request is in the URL, also when one of our pages is posted, and is checked again each time: nothing is
 * stored before somebody has approved.
 */
export async function answerAuthorize(request: HttpRequest, authority: Authority): Promise<Answer> {
  let to: Addressee;
  let form: URLSearchParams | undefined;
  try {
    to = await readAddressee(request.query, authority);
    if (request.method === 'POST') {
      if (!isOwnForm(request, authority))
        throw new OAuthFault('access_denied', 'The form was not sent from a page of this server.');
      form = await readForm(request);
    }
  } catch (error) {
    return explain(error);
  }
  try {
    const asked = readAuthorizationRequest(request.query, to, authority);
    return await authority.login.proceed({ authority, request, asked, form });
  } catch (error) {
    // A form from another site is answered here and not redirected: the client is not involved.
    if (error instanceof OAuthFault && (form !== undefined || error.status === 429)) return explain(error);
    if (error instanceof OAuthError) return tell(authority, to, error);
    authority.onproblem(asError(error));
    return tell(authority, to, new OAuthError('server_error', 'The server failed to handle the request.'));
  }
}

/** Sends the error to the client, through the browser. */
function tell(authority: Authority, to: Addressee, error: OAuthError): Answer {
  const answer = refuseAuthorization(authority, to, error);
  return to.client.origin === 'configured' ? answer : askBeforeLeaving(answer, error);
}

/** Shows the error to the user: there is no safe address to redirect to. */
function explain(error: unknown): Answer {
  if (!(error instanceof OAuthError)) throw error;
  return pageAnswer(
    statusOf(error),
    messagePage('This request failed', `${error.message} (${error.code}) Go back to the program that sent you here.`),
  );
}
