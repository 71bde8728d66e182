import { StoredProvider, type UserAgent } from 'crosspoint/auth';
import { LoopbackAgent } from 'crosspoint/auth/node';
import { describeUrl } from 'crosspoint/client';
import type { HttpReach } from '../config/server-entry.ts';
import type { Asks } from '../inbox/item.ts';
import type { OpenSpan } from '../tracing/tracing.ts';
import type { ServerPort } from './server-port.ts';

/** The user refused to log in, or did not answer. */
export class LoginRefusedError extends Error {
  override readonly name: string = 'LoginRefusedError';
}

/** A login at the authorization server of one server. The user sees the whole address and agrees before any page is opened. */
export function createServerLogin(
  server: string,
  reach: HttpReach,
  port: ServerPort,
  events: { readonly signal: AbortSignal; onwaiting(isWaiting: boolean): void },
): StoredProvider {
  const { oauth } = reach;
  const browser = new LoopbackAgent({
    open: port.openUrl,
    port: oauth?.callbackPort,
    signal: events.signal,
    paste: false,
  });
  let span: OpenSpan | undefined;
  const userAgent: UserAgent = {
    begin(before) {
      span = port.tracing?.begin({ kind: 'login', facts: { server } });
      return browser.begin(before);
    },
    end() {
      span?.end();
      return browser.end();
    },
    async visit(page) {
      events.onwaiting(true);
      try {
        await askUser(server, page, port.asks, events.signal);
        span?.event('page-opened', { host: page.host });
        const answer = await browser.visit(page);
        span?.event('page-answered');
        return answer;
      } catch (error) {
        span?.end(error);
        throw error;
      } finally {
        events.onwaiting(false);
      }
    },
  };
  return new StoredProvider({
    serverUrl: reach.url,
    clientName: port.info.title ?? port.info.name,
    userAgent,
    credentials: port.credentials,
    // Two servers at one address are two logins: nothing of one is used for the other.
    account: server,
    ...(oauth?.clientId !== undefined && {
      client: {
        client_id: oauth.clientId,
        ...(oauth.clientSecret !== undefined && { client_secret: oauth.clientSecret }),
      },
    }),
    ...(oauth?.scopes !== undefined && { scope: oauth.scopes.join(' ') }),
  });
}

/** Shows the whole address to the user. Rejects where the user does not agree. */
async function askUser(server: string, page: URL, asks: Asks, signal: AbortSignal): Promise<void> {
  const { url, host, warnings } = describeUrl(page.href);
  const scopes = (page.searchParams.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
  const reason = `The server "${server}" refuses requests without a login.`;
  const { action } = await asks.ask('login', { url, host, warnings, scopes }, { server, reason }, { signal });
  if (action !== 'allow') throw new LoginRefusedError('The login was refused, or nobody answered in time.');
}
