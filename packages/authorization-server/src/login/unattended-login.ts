import { grantCode } from '../issuing/authorization-response.ts';
import type { Login, Person } from './login.ts';
import { OAuthFault } from 'crosspoint/internal/auth-server';

/** A login without a login page: everyone is this person. For tests and development; refused where other machines could reach it. */
export function unattendedLogin(person: Person): Login {
  return {
    start({ isLocal, issuer }) {
      if (!isLocal)
        throw new TypeError(`${issuer} is not on this machine only: an unattended login would admit everybody.`);
    },
    async proceed({ authority, request, asked }) {
      // A server with a loopback issuer may still listen on every interface.
      if (request.isLoopback === false)
        throw new OAuthFault('access_denied', 'The unattended login accepts only requests from this machine.');
      return grantCode(authority, asked, person);
    },
    identify: async () => person,
  };
}
