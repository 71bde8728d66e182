import { join } from 'node:path';
import type { CredentialStore, StoredProvider } from 'crosspoint/auth';
import { createLogin, FileCredentials } from 'crosspoint/auth/node';
import type { HttpReach } from '@crosspoint/host/config';
import type { Home } from './home.ts';

/** The file with the user's logins. */
export function loginsFile({ stateFolder }: Home): string {
  return join(stateFolder, 'credentials.json');
}

export function loginsOf(home: Home): CredentialStore {
  return new FileCredentials(loginsFile(home));
}

export interface LoginWays {
  /** Prints the address of the page in place of opening a browser. */
  readonly noBrowser: boolean;
  /** Tells the user something. */
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  /** Whether the user can paste the address of the answer, where the browser is on another machine. */
  readonly mayPaste: boolean;
}

/** The login of a server, as the host keeps it: one for each name and address. */
export function loginOf(server: string, { url, oauth }: HttpReach, home: Home, ways: LoginWays): StoredProvider {
  const { clientId, clientSecret, scopes, callbackPort } = oauth ?? {};
  return createLogin({
    serverUrl: url,
    clientName: 'crosspoint',
    credentials: loginsOf(home),
    account: server,
    say: ways.say,
    signal: ways.signal,
    ...(ways.noBrowser && { open: 'print' as const }),
    ...(!ways.mayPaste && { paste: false as const }),
    ...(callbackPort !== undefined && { port: callbackPort }),
    ...(clientId !== undefined && {
      client: { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) },
    }),
    ...(scopes !== undefined && { scope: scopes.join(' ') }),
  });
}

/** A login for programs that only read what is kept: it never sends the user anywhere. */
export function keptLogin(server: string, reach: HttpReach, home: Home): StoredProvider {
  const { signal } = new AbortController();
  return loginOf(server, reach, home, { noBrowser: true, say: () => {}, signal, mayPaste: false });
}
