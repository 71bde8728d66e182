import type { HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import { memoryStore } from '../../../stores/memory.ts';
import { OAuthError } from '../../oauth-error.ts';
import type { AuthorizationServerMetadata, OAuthClientInformationFull } from '../../oauth-types.ts';
import { createOutboundFetch } from '../../outbound/outbound-fetch.ts';
import { jsonAnswer, pageAnswer, redirectAnswer, type Answer } from '../http/answer.ts';
import { askBeforeLeaving } from '../issuing/authorization-response.ts';
import { authenticateClient, type ClientKnowledge } from '../clients/client-authentication.ts';
import { readClientMetadata } from '../clients/client-metadata.ts';
import type { KnownClient } from '../clients/oauth-client.ts';
import { OAuthFault, statusOf } from '../http/oauth-fault.ts';
import type { AuthorizationParams, AuthorizationReply, OAuthServerProvider } from './oauth-server-provider.ts';
import { messagePage } from '../login/pages.ts';
import { isRegisteredRedirect } from '../clients/redirect-uri.ts';
import { readForm, readJson, requireParam, requireSingle } from '../http/request-params.ts';
import { requireResource, isSameResource } from '../resource/resource-uri.ts';
import { readScopes } from '../resource/scopes.ts';
import { isSameSecret, randomText } from '../http/secret-text.ts';
import { RecordedReply } from './recorded-reply.ts';
import { sha256Base64Url } from '../../../runtime/sha256.ts';

export type EndpointName = 'authorize' | 'token' | 'register' | 'revoke';

export interface ProviderRegistrationOptions {
  /** Lifetime of a secret in seconds; unlimited when 0 or absent. */
  readonly secretLifetime?: number;
  /** `false`: the clients store generates the ids. */
  readonly makesIds?: boolean;
}

/** The endpoints around a provider; every request is checked before the provider is called. */
export class ProviderEndpoints {
  readonly #provider: OAuthServerProvider;
  readonly #registration: ProviderRegistrationOptions;
  readonly #metadata: AuthorizationServerMetadata;
  readonly #resource: string | undefined;
  readonly #root: string;
  readonly #knowledge: ClientKnowledge;

  constructor(
    provider: OAuthServerProvider,
    metadata: AuthorizationServerMetadata,
    resource: string | URL | undefined,
    registration: ProviderRegistrationOptions = {},
  ) {
    this.#provider = provider;
    this.#registration = registration;
    this.#metadata = metadata;
    this.#resource = resource === undefined ? undefined : requireResource(resource);
    const base = (metadata.authorization_endpoint ?? '').replace(/\/authorize$/, '');
    this.#root = new URL(base).pathname.replace(/\/$/, '');
    this.#knowledge = {
      issuer: metadata.issuer,
      base,
      store: memoryStore(),
      outbound: createOutboundFetch(),
      now: Date.now,
      clients: { find: (clientId) => this.#find(clientId) },
    };
  }

  serves(path: string): boolean {
    const name = this.nameOf(path);
    if (name === 'register') return this.#metadata.registration_endpoint !== undefined;
    if (name === 'revoke') return this.#metadata.revocation_endpoint !== undefined;
    return name === 'authorize' || name === 'token';
  }
  isAuthorization(path: string): boolean {
    return this.nameOf(path) === 'authorize';
  }
  isRegistration(path: string): boolean {
    return this.nameOf(path) === 'register';
  }
  isForPrograms(path: string): boolean {
    return !this.isAuthorization(path);
  }

  /** `undefined` when the provider has written its own response. */
  async answer(request: HttpRequest, native: AuthorizationReply | undefined): Promise<Answer | undefined> {
    const name = this.nameOf(request.path);
    if (name === 'authorize') return this.#authorize(request, native);
    if (request.method !== 'POST') return jsonAnswer(405, { error: 'method_not_allowed' }, { Allow: 'POST, OPTIONS' });
    if (name === 'token') return this.#token(request);
    return name === 'register' ? this.#register(request) : this.#revoke(request);
  }

  nameOf(path: string): string | undefined {
    return path.startsWith(`${this.#root}/`) ? path.slice(this.#root.length + 1) : undefined;
  }

  async #authorize(request: HttpRequest, native: AuthorizationReply | undefined): Promise<Answer | undefined> {
    if (request.method !== 'GET' && request.method !== 'POST')
      return jsonAnswer(405, { error: 'method_not_allowed' }, { Allow: 'GET, POST' });
    const params =
      request.method === 'POST' ? await readForm(request) : requireSingle(new URLSearchParams(request.query));
    let client: OAuthClientInformationFull;
    let redirectUri: string;
    try {
      [client, redirectUri] = await this.#addressee(params);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return pageAnswer(statusOf(error), messagePage('This request failed', error.message));
    }
    const state = params.get('state') ?? undefined;
    try {
      const asked = this.#read(params, redirectUri, state);
      const written = new RecordedReply();
      await this.#provider.authorize(client, asked, native ?? written);
      return native === undefined ? written.answer : undefined;
    } catch (error) {
      const told =
        error instanceof OAuthError
          ? error
          : new OAuthError('server_error', 'The server failed to handle the request.');
      const url = new URL(redirectUri);
      url.searchParams.set('error', told.code);
      if (told.description !== undefined) url.searchParams.set('error_description', told.description);
      if (state !== undefined) url.searchParams.set('state', state);
      const answer = redirectAnswer(url.href);
      // Without registration, the operator chose every redirect address.
      return this.#metadata.registration_endpoint === undefined ? answer : askBeforeLeaving(answer, told);
    }
  }

  async #addressee(params: URLSearchParams): Promise<[OAuthClientInformationFull, string]> {
    const client = await this.#provider.clientsStore.getClient(requireParam(params, 'client_id'));
    if (client === undefined) throw new OAuthFault('invalid_client', 'The client is unknown: register it first.');
    const known = await toKnown(client);
    const asked =
      params.get('redirect_uri') ?? (known.redirect_uris?.length === 1 ? known.redirect_uris[0] : undefined);
    if (asked === undefined || !isRegisteredRedirect(known, asked, { anyPort: true }))
      throw new OAuthFault('invalid_request', 'The redirect_uri is not one that the client has registered.');
    return [client, asked];
  }

  #read(params: URLSearchParams, redirectUri: string, state: string | undefined): AuthorizationParams {
    if (requireParam(params, 'response_type') !== 'code')
      throw new OAuthFault('unsupported_response_type', 'Only response_type=code is supported.');
    const codeChallenge = requireParam(params, 'code_challenge');
    if (params.get('code_challenge_method') !== 'S256')
      throw new OAuthFault('invalid_request', 'PKCE is required with S256: code_challenge_method must say so.');
    const scopes = readScopes(params.get('scope'));
    if (scopes === undefined) throw new OAuthFault('invalid_scope', 'The scope is malformed.');
    const resource = this.#readResource(params);
    return {
      codeChallenge,
      redirectUri,
      ...(state !== undefined && { state }),
      ...(scopes.length > 0 && { scopes }),
      ...(resource && { resource }),
    };
  }

  /** The requested resource. Throws `invalid_target` for any other than this server. */
  #readResource(params: URLSearchParams): URL | undefined {
    const [named, ...others] = params.getAll('resource');
    if (named === undefined) return undefined;
    const isOurs = this.#resource === undefined || isSameResource(named, this.#resource);
    if (others.length > 0 || !URL.canParse(named) || !isOurs)
      throw new OAuthFault('invalid_target', 'This server issues no tokens for this resource.');
    return new URL(named);
  }

  async #token(request: HttpRequest): Promise<Answer> {
    const form = await readForm(request);
    const type = requireParam(form, 'grant_type');
    const { client_id: clientId } = await authenticateClient(request, form, this.#knowledge);
    const client = await this.#provider.clientsStore.getClient(clientId);
    if (client === undefined) throw new OAuthFault('invalid_client', 'The client is unknown: register it first.');
    const resource = this.#readResource(form);
    if (type === 'authorization_code') {
      const [code, verifier] = [requireParam(form, 'code'), requireParam(form, 'code_verifier')];
      const { skipLocalPkceValidation: skips } = this.#provider;
      if (!skips) {
        const challenge: unknown = await this.#provider.challengeForAuthorizationCode(client, code);
        if (typeof challenge !== 'string' || !(await isSameSecret(await sha256Base64Url(verifier), challenge)))
          throw new OAuthFault('invalid_grant', 'The code_verifier does not fit the code_challenge.');
      }
      const redirectUri = form.get('redirect_uri') ?? undefined;
      const shown = skips ? verifier : undefined;
      return jsonAnswer(
        200,
        await this.#provider.exchangeAuthorizationCode(client, code, shown, redirectUri, resource),
      );
    }
    if (type !== 'refresh_token') throw new OAuthFault('unsupported_grant_type', 'This grant_type is not supported.');
    const scopes = form.has('scope') ? readScopes(form.get('scope')) : undefined;
    if (form.has('scope') && scopes === undefined) throw new OAuthFault('invalid_scope', 'The scope is malformed.');
    const token = requireParam(form, 'refresh_token');
    return jsonAnswer(200, await this.#provider.exchangeRefreshToken(client, token, scopes, resource));
  }

  async #register(request: HttpRequest): Promise<Answer> {
    const read = await readClientMetadata(await readJson(request));
    const hasSecret = read.token_endpoint_auth_method !== 'none';
    const { secretLifetime = 0, makesIds = true } = this.#registration;
    const issuedAt = Math.floor(Date.now() / 1000);
    const client = {
      ...read,
      redirect_uris: [...(read.redirect_uris ?? [])],
      grant_types: [...(read.grant_types ?? [])],
      ...(makesIds && { client_id: crypto.randomUUID(), client_id_issued_at: issuedAt }),
      ...(hasSecret && {
        client_secret: randomText(),
        client_secret_expires_at: secretLifetime === 0 ? 0 : issuedAt + secretLifetime,
      }),
    } as OAuthClientInformationFull;
    return jsonAnswer(201, (await this.#provider.clientsStore.registerClient?.(client)) ?? client);
  }

  async #revoke(request: HttpRequest): Promise<Answer> {
    const form = await readForm(request);
    const { client_id: clientId } = await authenticateClient(request, form, this.#knowledge);
    const client = await this.#provider.clientsStore.getClient(clientId);
    const hint = form.get('token_type_hint');
    const token = requireParam(form, 'token');
    if (client) await this.#provider.revokeToken?.(client, { token, ...(hint !== null && { token_type_hint: hint }) });
    return jsonAnswer(200, {});
  }

  async #find(clientId: string): Promise<KnownClient> {
    const client = await this.#provider.clientsStore.getClient(clientId);
    if (client === undefined) throw new OAuthFault('invalid_client', 'The client is unknown: register it first.');
    return toKnown(client);
  }
}

async function toKnown(client: OAuthClientInformationFull): Promise<KnownClient> {
  const { client_id, client_secret: secret, client_secret_expires_at: expires, redirect_uris: redirects } = client;
  const method = client.token_endpoint_auth_method ?? (secret === undefined ? 'none' : 'client_secret_post');
  return {
    client_id,
    origin: 'registered',
    redirect_uris: redirects.map(String),
    token_endpoint_auth_method: method as NonNullable<KnownClient['token_endpoint_auth_method']>,
    ...(expires !== undefined && { client_secret_expires_at: expires }),
    ...(secret !== undefined && { secretDigest: await sha256Base64Url(secret) }),
  };
}
