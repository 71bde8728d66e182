import { grantCode } from './authorization-response.ts';
import type { Login, Person } from './login.ts';

/** Nobody logs in and nobody is asked: everyone is this person. For tests and development, and refused where others could reach it. */
export function unattendedLogin(person: Person): Login {
  return {
    start({ isLocal, issuer }) {
      if (!isLocal)
        throw new TypeError(`${issuer} is not on this machine only: an unattended login would let in anybody.`);
    },
    proceed: ({ authority, asked }) => grantCode(authority, asked, person),
    identify: async () => person,
  };
}
