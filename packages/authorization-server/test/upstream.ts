import { createHash, randomUUID } from 'node:crypto';
import { SignJWT, generateKeyPair } from 'jose';
import { sendJson, serve, type Served } from '../../crosspoint/test/auth/serving.ts';

/** A third party's authorization server that remembers its users by a cookie and asks nobody twice: the one that proxies are tricked with. */
export interface Upstream {
  readonly url: string;
  readonly served: Served;
  /** The access tokens that are good now, and whose they are. */
  readonly tokens: Map<string, string>;
  /** Who is at the browser; set by the test. */
  user: string;
  /** What authorization requests have named as `redirect_uri` and `state`. */
  readonly authorizations: URLSearchParams[];
  /** The tokens that were given back. */
  readonly revoked: string[];
  /** Ends everything that was given. */
  end(): void;
  /** Everything that was sent to it, tokens and all. */
  readonly bodies: string[];
  refreshes: number;
  expiresIn: number;
  close(): Promise<void>;
}

export const UPSTREAM_CLIENT = { clientId: 'the-proxy', clientSecret: 'proxy-secret' };

export async function startUpstream(): Promise<Upstream> {
  const { privateKey } = await generateKeyPair('ES256');
  const codes = new Map<string, { user: string; challenge: string; redirectUri: string }>();
  const refreshTokens = new Map<string, string>();
  const issue = async (user: string): Promise<object> => {
    const [access, refresh] = [`up-access-${randomUUID()}`, `up-refresh-${randomUUID()}`];
    upstream.tokens.set(access, user);
    refreshTokens.set(refresh, user);
    const idToken = await new SignJWT({ sub: user, name: `Upstream ${user}` })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(upstream.url)
      .setAudience(UPSTREAM_CLIENT.clientId)
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(privateKey);
    return {
      access_token: access,
      refresh_token: refresh,
      token_type: 'Bearer',
      expires_in: upstream.expiresIn,
      id_token: idToken,
    };
  };
  const served = await serve(async (request, response, body) => {
    const url = new URL(request.url ?? '/', served.url);
    const form = new URLSearchParams(body);
    upstream.bodies.push(`${JSON.stringify(request.headers)} ${body}`);
    if (url.pathname === '/.well-known/oauth-authorization-server')
      return sendJson(response, {
        issuer: served.url,
        authorization_endpoint: `${served.url}/authorize`,
        token_endpoint: `${served.url}/token`,
        revocation_endpoint: `${served.url}/revoke`,
        introspection_endpoint: `${served.url}/introspect`,
        code_challenge_methods_supported: ['S256'],
        id_token_signing_alg_values_supported: ['ES256'],
      });
    if (url.pathname === '/authorize') {
      const params = url.searchParams;
      upstream.authorizations.push(params);
      const code = randomUUID();
      const redirectUri = params.get('redirect_uri') ?? '';
      codes.set(code, { user: upstream.user, challenge: params.get('code_challenge') ?? '', redirectUri });
      const back = new URL(redirectUri);
      back.searchParams.set('code', code);
      back.searchParams.set('state', params.get('state') ?? '');
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === '/introspect')
      return sendJson(response, { active: upstream.tokens.has(form.get('token') ?? '') });
    if (url.pathname === '/revoke') {
      upstream.revoked.push(form.get('token') ?? '');
      return sendJson(response, {});
    }
    if (url.pathname !== '/token') return sendJson(response, {}, 404);
    if (form.get('grant_type') === 'refresh_token') {
      upstream.refreshes += 1;
      const user = refreshTokens.get(form.get('refresh_token') ?? '');
      refreshTokens.delete(form.get('refresh_token') ?? '');
      return user === undefined
        ? sendJson(response, { error: 'invalid_grant' }, 400)
        : sendJson(response, await issue(user));
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const digest = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code === undefined || code.challenge !== digest || code.redirectUri !== form.get('redirect_uri'))
      return sendJson(response, { error: 'invalid_grant' }, 400);
    sendJson(response, await issue(code.user));
  });
  const upstream: Upstream = {
    url: served.url,
    served,
    tokens: new Map(),
    user: 'ada',
    authorizations: [],
    revoked: [],
    bodies: [],
    refreshes: 0,
    expiresIn: 3600,
    end: () => {
      upstream.tokens.clear();
      refreshTokens.clear();
    },
    close: () => served.close(),
  };
  return upstream;
}
