import type { Answer } from '../http/answer.ts';
import { pageAnswer } from '../http/answer.ts';
import type { HttpHeaders } from '../../../transports/http/server/adapters/exchange.ts';
import type { AuthorizationRequest } from '../issuing/authorization-request.ts';
import type { LoginStep } from './login.ts';
import { consentPage, type ConsentFacts } from './pages.ts';

const TEN_MINUTES = 600_000;

/** The page that asks a person, for one request of one client. `who` binds it to the person or browser that is asked. */
export async function askConsent(
  { authority, asked }: LoginStep,
  who: string,
  { headers, ...facts }: Omit<ConsentFacts, 'token'> & { headers?: HttpHeaders } = {},
): Promise<Answer> {
  const token = await authority.secret.mint(factsOf(who, asked), TEN_MINUTES);
  return pageAnswer(200, consentPage(asked, { ...facts, token }), headers);
}

/** What the person has chosen on that page; `undefined` for anything that does not come from it. */
export async function readConsent(
  { authority, asked, form }: LoginStep,
  who: string,
): Promise<'approve' | 'deny' | undefined> {
  const action = form?.get('action');
  if (action !== 'approve' && action !== 'deny') return undefined;
  return (await authority.secret.isOwn(form?.get('token'), factsOf(who, asked))) ? action : undefined;
}

/** Everything that the page shows. Consent does not count when any of it has changed by the time the form is posted. */
function factsOf(
  who: string,
  { client, query, redirectUri, scopes, resource }: AuthorizationRequest,
): readonly unknown[] {
  return ['consent', who, query, client.client_name, redirectUri, scopes, resource];
}
