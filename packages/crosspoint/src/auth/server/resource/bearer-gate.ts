import { report } from '../../../runtime/guard.ts';
import type { HttpHeaders, HttpReply, HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import { rememberGate, type HttpAuth } from '../../../transports/http/server/guards/http-auth.ts';
import { authInfoFault, tokenLife } from '../../../transports/auth-info.ts';
import type { AuthInfo } from '../../../transports/transport.ts';
import { writeChallenge } from '../../challenge.ts';
import { OAuthError } from '../../oauth-error.ts';
import type { OAuthProtectedResourceMetadata } from '../../oauth-types.ts';
import { DpopProofs } from './dpop-proof.ts';
import { InsufficientScopeFault, InvalidTokenError, OAuthFault, printable, statusOf } from '../http/oauth-fault.ts';
import {
  getOAuthProtectedResourceMetadataUrl,
  metadataPaths,
  protectedResourceMetadata,
} from './protected-resource.ts';
import type { BearerAuthOptions } from './require-bearer-auth.ts';
import { isSameResource, requireResource } from './resource-uri.ts';
import { coversScopes, reachOf, requireScopes } from './scopes.ts';
import { boundKeyOf, type OAuthTokenVerifier } from './token-verifier.ts';
import type { HttpRefusal } from '../../../transports/http/server/adapters/refuse.ts';

/** The metadata document is public. */
const DOCUMENT_HEADERS: HttpHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'public, max-age=300',
  'Access-Control-Allow-Origin': '*',
};

const CREDENTIALS = /^(Bearer|DPoP) +([\w.~+/-]+=*) *$/i;

type Scheme = 'Bearer' | 'DPoP';

/** Verifies the token of every request, and answers failures as OAuth prescribes. */
export class BearerGate implements HttpAuth {
  readonly #options: BearerAuthOptions;
  readonly #verifier: OAuthTokenVerifier;
  readonly #scopes: readonly string[];
  readonly #resource: string | undefined;
  readonly #metadata: OAuthProtectedResourceMetadata | undefined;
  readonly #metadataUrl: string | undefined;
  readonly #paths: readonly string[];
  readonly #proofs: DpopProofs | undefined;

  constructor(options: BearerAuthOptions, verifier: OAuthTokenVerifier) {
    const { audience, scopes, requiredScopes, resourceMetadataUrl, dpop } = options;
    this.#options = options;
    this.#verifier = verifier;
    this.#scopes = requireScopes(scopes ?? requiredScopes ?? [], 'the server');
    if (this.#scopes.includes('offline_access'))
      throw new TypeError('The scopes of a server must not contain offline_access.');
    this.#resource = audience === undefined ? undefined : requireResource(audience);
    this.#proofs = dpop && new DpopProofs(dpop);
    this.#metadata = this.#makeMetadata();
    this.#paths = this.#resource === undefined || this.#metadata === undefined ? [] : metadataPaths(this.#resource);
    if (resourceMetadataUrl !== undefined) this.#metadataUrl = String(resourceMetadataUrl);
    else if (this.#resource !== undefined && this.#metadata)
      this.#metadataUrl = getOAuthProtectedResourceMetadataUrl(this.#resource);
  }

  answer(request: HttpRequest, reply: HttpReply): boolean {
    if (this.#metadata === undefined || !this.#paths.includes(request.path)) return false;
    if (request.method === 'OPTIONS')
      reply.send(204, { ...DOCUMENT_HEADERS, 'Access-Control-Allow-Headers': 'MCP-Protocol-Version' });
    else if (request.method === 'GET' || request.method === 'HEAD')
      reply.send(200, DOCUMENT_HEADERS, request.method === 'HEAD' ? undefined : JSON.stringify(this.#metadata));
    else reply.send(405, { ...DOCUMENT_HEADERS, Allow: 'GET, HEAD, OPTIONS' });
    return true;
  }

  async check(request: HttpRequest): Promise<{ authInfo: AuthInfo } | { refused: HttpRefusal }> {
    let scheme: Scheme = this.#proofs?.required ? 'DPoP' : 'Bearer';
    try {
      const header = request.header('authorization');
      if (header === undefined || !/^(?:Bearer|DPoP)(?: |$)/i.test(header)) return { refused: this.#refuseMissing() };
      const credentials = CREDENTIALS.exec(header);
      if (credentials === null)
        throw new OAuthFault(
          'invalid_request',
          'The Authorization header is malformed: send Bearer, one space and the token.',
        );
      const [, word = '', token = ''] = credentials;
      scheme = word.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer';
      const verified = await this.#verify(token);
      await this.#checkBinding(scheme, verified, request);
      // The hierarchy is expanded here, so that later checks of a narrow scope need not know it.
      const authInfo = { ...verified, scopes: [...reachOf(verified.scopes, this.#options.scopeHierarchy)] };
      rememberGate(authInfo, this);
      const refused = this.refuseScopes(authInfo, this.#scopes);
      return refused ? { refused } : { authInfo };
    } catch (error) {
      return { refused: await this.#explain(error, scheme) };
    }
  }

  refuseScopes(authInfo: AuthInfo | undefined, needed: readonly string[]): HttpRefusal | undefined {
    if (coversScopes(authInfo?.scopes ?? [], needed, this.#options.scopeHierarchy)) return undefined;
    // All scopes that the operation needs, in one challenge, so that the user is asked only once.
    const scopes = [...new Set([...this.#scopes, ...needed])];
    return this.#refusalOf(new InsufficientScopeFault(`This needs the scopes: ${scopes.join(' ')}.`, scopes), 'Bearer');
  }

  refuse(reply: HttpReply, { status, headers = {}, message }: HttpRefusal): void {
    const [, error = status === 401 ? 'unauthorized' : 'server_error'] =
      /error="([^"]+)"/.exec(headers['WWW-Authenticate'] ?? '') ?? [];
    const body = { error, error_description: printable(message) };
    reply.send(
      status,
      { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
      JSON.stringify(body),
    );
  }

  #makeMetadata(): OAuthProtectedResourceMetadata | undefined {
    const { issuer, authorizationServers, scopesSupported, resourceName, serviceDocumentationUrl } = this.#options;
    const servers = authorizationServers ?? (issuer === undefined ? undefined : [issuer]);
    if (servers === undefined || this.#resource === undefined) return undefined;
    const scopes = scopesSupported ?? this.#scopes;
    const proofs = this.#proofs;
    return protectedResourceMetadata({
      resource: this.#resource,
      authorizationServers: servers,
      ...(scopes.length > 0 && { scopesSupported: scopes }),
      ...(resourceName !== undefined && { resourceName }),
      ...(serviceDocumentationUrl !== undefined && { serviceDocumentationUrl }),
      dpop: proofs && { required: proofs.required, algorithms: proofs.algorithms },
    });
  }

  async #verify(token: string): Promise<AuthInfo> {
    const authInfo = await this.#verifier.verifyAccessToken(token);
    const fault = authInfoFault(authInfo);
    if (fault !== undefined) {
      report(this.#options.onproblem, new TypeError(`The verifier returned an invalid AuthInfo. ${fault}`));
      throw new InvalidTokenError('The token could not be verified.');
    }
    const { now = Date.now } = this.#options;
    if (tokenLife(authInfo, now()) === 0) throw new InvalidTokenError('The token has expired.');
    if (this.#resource !== undefined && !isSameResource(authInfo.resource ?? '', this.#resource))
      throw new InvalidTokenError('The token was issued for another server (audience).');
    return authInfo;
  }

  async #checkBinding(scheme: Scheme, authInfo: AuthInfo, request: HttpRequest): Promise<void> {
    const bound = boundKeyOf(authInfo);
    if (bound === undefined && scheme === 'Bearer' && !this.#proofs?.required) return;
    if (this.#proofs === undefined)
      throw new InvalidTokenError(
        bound === undefined
          ? 'DPoP is not supported: send the token as Bearer.'
          : 'The token is bound to a key, and this server takes no proofs (DPoP).',
      );
    if (bound === undefined)
      throw new InvalidTokenError('The token is bound to no key: ask for one with a DPoP proof.');
    if (scheme !== 'DPoP') throw new InvalidTokenError('The token is bound to a key: send it as DPoP, with a proof.');
    const origin =
      this.#resource === undefined ? `http://${request.header('host') ?? ''}` : new URL(this.#resource).origin;
    const facts = { method: request.method, url: `${origin}${request.path}`, token: authInfo.token };
    if ((await this.#proofs.check(request.header('dpop'), facts)) !== bound)
      throw new InvalidTokenError('The token is bound to another key.');
  }

  #refuseMissing(): HttpRefusal {
    const schemes: Scheme[] = this.#proofs ? (this.#proofs.required ? ['DPoP'] : ['Bearer', 'DPoP']) : ['Bearer'];
    // Without a token, the challenge names no error (RFC 6750, section 3.1).
    const challenges = schemes.map((scheme) => this.#challenge({ scheme, scope: this.#scopes }));
    return {
      status: 401,
      headers: { 'WWW-Authenticate': challenges.join(', ') },
      message: 'This server needs an access token. The WWW-Authenticate header says where to get one.',
    };
  }

  async #explain(error: unknown, scheme: Scheme): Promise<HttpRefusal> {
    if (error instanceof OAuthError) {
      const refusal = this.#refusalOf(error, scheme);
      const nonce = error.errorCode === 'use_dpop_nonce' ? await this.#proofs?.nonce() : undefined;
      return nonce === undefined ? refusal : { ...refusal, headers: { ...refusal.headers, 'DPoP-Nonce': nonce } };
    }
    report(this.#options.onproblem, error);
    return { status: 503, headers: { 'Retry-After': '5' }, message: 'The token could not be verified just now.' };
  }

  #refusalOf(error: OAuthError, scheme: Scheme): HttpRefusal {
    const status = statusOf(error);
    if (status >= 500) return { status, headers: {}, message: error.message };
    const scope = error instanceof InsufficientScopeFault && error.scopes.length > 0 ? error.scopes : this.#scopes;
    return {
      status,
      headers: {
        'WWW-Authenticate': this.#challenge({ scheme, error, scope }),
      },
      message: error.message,
    };
  }

  #challenge({ scheme, error, scope }: { scheme: Scheme; error?: OAuthError; scope: readonly string[] }): string {
    return writeChallenge(scheme, {
      error: error?.code,
      error_description: error && printable(error.message),
      resource_metadata: this.#metadataUrl,
      scope: scope.length === 0 ? undefined : scope.join(' '),
      algs: scheme === 'DPoP' ? this.#proofs?.algorithms.join(' ') : undefined,
    });
  }
}
