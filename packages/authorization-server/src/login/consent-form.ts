import { pageAnswer, type Answer, type HttpHeaders } from 'crosspoint/internal/auth-server';
import type { AuthorizationRequest } from '../issuing/authorization-request.ts';
import type { LoginStep } from './login.ts';
import { consentPage, type ConsentFacts } from './pages.ts';

const TEN_MINUTES = 600_000;

/** The consent page for one request of one client. `who` binds it to the person or browser that is asked. */
export async function askConsent(
  { authority, asked }: LoginStep,
  who: string,
  { headers, ...facts }: Omit<ConsentFacts, 'token'> & { headers?: HttpHeaders } = {},
): Promise<Answer> {
  const token = await authority.secret.mint(factsOf(who, asked), TEN_MINUTES);
  return pageAnswer(200, consentPage(asked, { ...facts, token }), headers);
}

/** The choice made on that page; `undefined` for a form that does not come from it. */
export async function readConsent(
  { authority, asked, form }: LoginStep,
  who: string,
): Promise<'approve' | 'deny' | undefined> {
  const action = form?.get('action');
  if (action !== 'approve' && action !== 'deny') return undefined;
  return (await authority.secret.isOwn(form?.get('token'), factsOf(who, asked))) ? action : undefined;
}

/** Everything that the page shows. Consent is void if any of it has changed when the form is posted. */
function factsOf(
  who: string,
  { client, query, redirectUri, scopes, resource }: AuthorizationRequest,
): readonly unknown[] {
  return ['consent', who, query, client.client_name, redirectUri, scopes, resource];
}
