import { report } from '../../../runtime/guard.ts';
import { ToolError } from '../../../protocol/errors.ts';
import type { ElicitResult } from '../../../protocol/elicitation/elicitation.ts';
import { memoryStore } from '../../../stores/memory.ts';
import type { Store } from '../../../stores/store.ts';
import type { HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import type { AuthInfo } from '../../../transports/transport.ts';
import { Attempts } from './attempts.ts';
import { ConnectLinks } from './connect-links.ts';
import { ConnectRoutes, type ConnectAttempt } from './connect-routes.ts';
import { KeyedSecret } from '../http/keyed-secret.ts';
import type { Person } from '../login/login.ts';
import { serveRoutes, type Served } from '../http/routes.ts';
import { ThirdPartyTokens } from './third-party-tokens.ts';
import { UpstreamClient, type UpstreamOptions } from './upstream-client.ts';

export interface ThirdPartyOptions extends UpstreamOptions {
  /** Stands in the paths of its pages and in the store: short, of letters, digits and dashes. */
  readonly id: string;
  /** Where this program's pages are, such as `https://mcp.example.com`. */
  readonly baseUrl: string | URL;
  /**
   * Says who is at a browser, by the same names (`sub`) as the tokens of MCP clients do. An embedded authorization server fits as it is.
   */
  readonly people: {
    /** Whose names these are; somebody of the same name elsewhere is somebody else. */
    readonly issuer?: string;
    identify(request: HttpRequest): Promise<Person | undefined>;
    loginUrl(returnTo: string): string | undefined;
  };
  /** Where links and tokens are kept; in memory when absent. */
  readonly store?: Store;
  /** 32 random bytes with which tokens are sealed in the store. The same on every node; new for each process when absent. */
  readonly secret?: Uint8Array;
  /** How long a link can be opened. 10 minutes when absent. */
  readonly linkMs?: number;
  /** How long a call waits for somebody who has agreed to open the page. A minute when absent. */
  readonly waitMs?: number;
  readonly onproblem?: (problem: Error) => void;
  readonly now?: () => number;
}

/** What is needed of the context of a request. */
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
   * A token of the caller's own for the third party. Somebody who has given none is asked to open a page, and the call goes on when they have been there.
   * The token is for calls to the third party: it must not be part of a result.
   */
  accessToken(ctx: ConnectContext, message?: string): Promise<string>;
  /** Forgets what the caller has given, and tells the third party. */
  disconnect(authInfo: AuthInfo | undefined): Promise<void>;
}

export function thirdParty(options: ThirdPartyOptions): ThirdParty {
  const { id, name, now = Date.now, linkMs = 600_000, waitMs = 60_000 } = options;
  if (!/^[\w-]{1,40}$/.test(id)) throw new TypeError('The id of a third party is of letters, digits and dashes.');
  const base = String(options.baseUrl).replace(/\/$/, '');
  const store = options.store ?? memoryStore({ now });
  const client = new UpstreamClient(options, now);
  const tokens = new ThirdPartyTokens({ id, store, client, secret: new KeyedSecret(options.secret, now), now });
  const links = new ConnectLinks({ id, store, linkMs });
  const attempts = new Attempts<ConnectAttempt>(store, `third-party:${id}:attempt`);
  const onproblem = (problem: Error): void => report(options.onproblem, problem);
  const routes = new ConnectRoutes({ id, base, client, tokens, links, attempts, people: options.people, onproblem });

  /** Calls that are past asking: a second token in the same call is there at once. */
  const past = new WeakSet<object>();

  async function ask(ctx: ConnectContext, owner: Person & { iss: string }, message: string): Promise<string> {
    const begun: { link?: string } = past.has(ctx)
      ? {}
      : await ctx.step(`third-party:${id}`, async () =>
          (await tokens.accessToken(owner)) === undefined ? { link: await links.mint(owner) } : {},
        );
    if (begun.link !== undefined) {
      // Only the client that was asked is told, wherever the page was opened.
      const tell = ctx.pageCompletion(begun.link);
      const watching = await links.watch(begun.link, tell);
      const answer = await ctx.elicit({
        mode: 'url',
        message,
        url: routes.urlOf(begun.link),
        elicitationId: begun.link,
      });
      if (answer.action !== 'accept') throw new ToolError(`${name} is not connected: the user did not want to.`);
      // It may be done already: a call that runs again was away in the meantime.
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
        throw new ToolError(
          `${name} needs to know whose account to use: this server must be called with a token of a user.`,
        );
      return ask(ctx, owner, message);
    },
    async disconnect(authInfo) {
      const owner = ownerOf(authInfo);
      if (owner) await tokens.forget(owner);
    },
  };
}

/** Whoever the token is of. What a client says of itself does not count. */
function ownerOf(authInfo: AuthInfo | undefined): (Person & { iss: string }) | undefined {
  const { sub, iss } = authInfo?.extra ?? {};
  return typeof sub === 'string' ? { sub, iss: typeof iss === 'string' ? iss : '' } : undefined;
}
