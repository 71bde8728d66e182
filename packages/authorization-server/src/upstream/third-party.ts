import { report } from 'crosspoint/internal';
import { serveRoutes, type Secret, type Served } from 'crosspoint/internal/auth-server';
import { ToolError, type AuthInfo, type ElicitResult } from 'crosspoint';
import { memoryStore, type HttpRequest, type Store } from 'crosspoint/server';
import { Attempts } from './attempts.ts';
import { ConnectLinks } from './connect-links.ts';
import { ConnectRoutes, type ConnectAttempt } from './connect-routes.ts';
import { KeyedSecret } from '../http/keyed-secret.ts';
import type { Person } from '../login/login.ts';
import { ThirdPartyTokens } from './third-party-tokens.ts';
import { UpstreamClient, type UpstreamOptions } from './upstream-client.ts';

export interface ThirdPartyOptions extends UpstreamOptions {
  /** Short name for paths and store keys: letters, digits and dashes. */
  readonly id: string;
  /** Base address of this program's pages, such as `https://mcp.example.com`. */
  readonly baseUrl: string | URL;
  /**
   * Identifies the person at a browser, with the same `sub` as the tokens of MCP clients. An embedded authorization server can be passed as
   * it is.
   */
  readonly people: {
    /** Issuer of these names; the same name of another issuer is another person. */
    readonly issuer?: string;
    identify(request: HttpRequest): Promise<Person | undefined>;
    loginUrl(returnTo: string): string | undefined;
  };
  /** Storage for links and tokens; in memory when absent. */
  readonly store?: Store;
  /**
   * A secret of at least 32 bytes, as text or bytes (`createSecret()` makes one), that encrypts tokens in the store. Must be the same on every node; random
   * per process when absent.
   */
  readonly secret?: Secret;
  /** Milliseconds that a link can be opened; 10 minutes when absent. */
  readonly linkMs?: number;
  /** Milliseconds that a call waits for a user who has agreed to open the page; one minute when absent. */
  readonly waitMs?: number;
  readonly onproblem?: (problem: Error) => void;
  readonly now?: () => number;
}

/** The part of a request's context that is needed. */
export interface ConnectContext {
  readonly authInfo: AuthInfo | undefined;
  readonly signal: AbortSignal;
  elicit(question: { mode: 'url'; message: string; url: string; elicitationId: string }): Promise<ElicitResult>;
  step<T>(name: string, run: () => Promise<T>): Promise<T>;
  pageCompletion(elicitationId: string): () => void;
}

/** Access to a third party's API for each user, who logs in there on a page of this program. */
export interface ThirdParty extends Served {
  /**
   * A token of the caller for the third party. A caller without one is asked to open a page, and the call continues afterwards. Use the
   * token only for calls to the third party; never put it into a result.
   */
  accessToken(ctx: ConnectContext, message?: string): Promise<string>;
  /** Deletes the caller's tokens and revokes them at the third party. */
  disconnect(authInfo: AuthInfo | undefined): Promise<void>;
}

export function thirdParty(options: ThirdPartyOptions): ThirdParty {
  const { id, name, now = Date.now, linkMs = 600_000, waitMs = 60_000 } = options;
  if (!/^[\w-]{1,40}$/.test(id))
    throw new TypeError(`The id of a third party is 1 to 40 letters, digits and dashes; this is "${id}".`);
  const base = String(options.baseUrl).replace(/\/$/, '');
  const store = options.store ?? memoryStore({ now });
  const client = new UpstreamClient(options, now);
  const tokens = new ThirdPartyTokens({ id, store, client, secret: new KeyedSecret(options.secret, now), now });
  const links = new ConnectLinks({ id, store, linkMs });
  const attempts = new Attempts<ConnectAttempt>(store, `third-party:${id}:attempt`);
  const onproblem = (problem: Error): void => report(options.onproblem, problem);
  const routes = new ConnectRoutes({ id, base, client, tokens, links, attempts, people: options.people, onproblem });

  /** Calls that already have a token: a second request in the same call asks nothing. */
  const past = new WeakSet<object>();

  async function ask(ctx: ConnectContext, owner: Person & { iss: string }, message: string): Promise<string> {
    const begun: { link?: string } = past.has(ctx)
      ? {}
      : await ctx.step(`third-party:${id}`, async () =>
          (await tokens.accessToken(owner)) === undefined ? { link: await links.mint(owner) } : {},
        );
    if (begun.link !== undefined) {
      // Only the client that was asked is notified, wherever the page was opened.
      const tell = ctx.pageCompletion(begun.link);
      const watching = await links.watch(begun.link, tell);
      const answer = await ctx.elicit({
        mode: 'url',
        message,
        url: routes.urlOf(begun.link),
        elicitationId: begun.link,
      });
      if (answer.action !== 'accept') throw new ToolError(`${name} is not connected: the user declined.`);
      // The page may be finished already: a replayed call was not running in the meantime.
      if (!(await tokens.has(owner))) await watching.done(ctx.signal, waitMs);
    }
    const token = await tokens.accessToken(owner);
    if (token === undefined)
      throw new ToolError(
        `${name} is not connected yet: the user has not finished on the page. Call again afterwards.`,
      );
    past.add(ctx);
    return token;
  }

  return {
    ...serveRoutes(routes),
    async accessToken(ctx, message = `Connect your ${name} account.`) {
      const owner = ownerOf(ctx.authInfo);
      if (owner === undefined)
        throw new ToolError(`${name} needs to know whose account to use: call this server with the token of a user.`);
      return ask(ctx, owner, message);
    },
    async disconnect(authInfo) {
      const owner = ownerOf(authInfo);
      if (owner) await tokens.forget(owner);
    },
  };
}

/** The user of a token. Claims of the client itself do not count. */
function ownerOf(authInfo: AuthInfo | undefined): (Person & { iss: string }) | undefined {
  const { sub, iss } = authInfo?.extra ?? {};
  return typeof sub === 'string' ? { sub, iss: typeof iss === 'string' ? iss : '' } : undefined;
}
