import { atOnce } from 'crosspoint/internal';
import type { HttpRequest } from 'crosspoint/server';
import { OAuthFault, redirectAnswer } from 'crosspoint/internal/auth-server';
import { denyAuthorization, grantCode } from '../issuing/authorization-response.ts';
import { askConsent, readConsent } from './consent-form.ts';
import type { Login, Person } from './login.ts';

export interface ApplicationLoginOptions {
  /** The person logged in in the browser that sent this request, by the application's own cookie. */
  readonly identify: (request: HttpRequest) => Person | undefined | Promise<Person | undefined>;
  /** Address of the application's login page, which returns to `returnTo` afterwards. */
  readonly loginUrl: (returnTo: string) => string;
}

/** A login for people that the application already knows; each program is approved on a page of the authorization server. */
export function applicationLogin({ identify, loginUrl }: ApplicationLoginOptions): Login {
  return {
    async proceed(step) {
      const { authority, request, asked, form } = step;
      const person = await identify(request);
      if (person === undefined)
        return redirectAnswer(atOnce(loginUrl(`${authority.base}/authorize?${asked.query}`), 'loginUrl'));
      const who = JSON.stringify(['person', person.sub]);
      if (form === undefined) return askConsent(step, who, { person: person.name ?? person.sub });
      const choice = await readConsent(step, who);
      if (choice === undefined) throw new OAuthFault('access_denied', 'The page is too old: go back and try again.');
      return choice === 'approve' ? grantCode(authority, asked, person) : denyAuthorization(authority, asked);
    },
    identify: async (request) => identify(request),
    loginUrl,
  };
}
