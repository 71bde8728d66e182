import {
  authorizationServerMetadataUrls,
  errorAnswer,
  jsonAnswer,
  OAuthFault,
  SIGNATURE_ALGORITHMS,
  type Answer,
  type HttpHeaders,
  type Routes,
} from 'crosspoint/internal/auth-server';
import type { HttpRequest } from 'crosspoint/server';
import { OAuthError, type AuthorizationServerMetadata } from 'crosspoint/auth';
import type { Authority } from './authority.ts';
import type { AuthorizationServerOptions } from './authorization-server-options.ts';
import { answerAuthorize } from './authorize-endpoint.ts';
import { answerIntrospection, answerRegistration, answerRevocation } from './client-endpoints.ts';
import { ATTENDED_GRANTS, CLIENT_CREDENTIALS, JWT_BEARER } from './grant-types.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { answerToken } from './token-endpoint.ts';
import { isLoopbackName } from 'crosspoint/internal';

const HOUR = 3_600_000;
/** Programs in web pages call from other origins. These endpoints accept no cookies, so this reveals nothing. */
const CORS: HttpHeaders = { 'Access-Control-Allow-Origin': '*' };
const PREFLIGHT: HttpHeaders = {
  ...CORS,
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Authorization, DPoP, MCP-Protocol-Version',
  'Access-Control-Max-Age': '600',
};

interface Endpoint {
  readonly methods: readonly string[];
  /** For programs, from any origin; the other endpoints are for browsers. */
  readonly forPrograms: boolean;
  answer(request: HttpRequest): Promise<Answer> | Answer;
}

/** The endpoints of an authorization server by path, with their rate limits. */
export class AuthorizationRoutes implements Routes {
  readonly metadata: AuthorizationServerMetadata;
  readonly onproblem: (problem: Error) => void;
  readonly #authority: Authority;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #limit: RateLimit;

  constructor(authority: Authority, options: AuthorizationServerOptions) {
    this.#authority = authority;
    this.onproblem = authority.onproblem;
    this.metadata = makeMetadata(authority, options);
    const { store, now } = authority;
    this.#limit = new RateLimit(store, 'endpoint', options.rateLimit ?? { max: 100, windowMs: 60_000 }, now);
    this.#addEndpoints(options);
  }

  serves(path: string): boolean {
    return this.#endpoints.has(path);
  }

  async answer(request: HttpRequest): Promise<Answer> {
    const endpoint = this.#endpoints.get(request.path);
    if (endpoint === undefined || !this.#isOwnHost(request)) return jsonAnswer(404, { error: 'not_found' });
    const { methods, forPrograms } = endpoint;
    const cors = forPrograms ? CORS : {};
    if (request.method === 'OPTIONS' && forPrograms) return { status: 204, headers: PREFLIGHT };
    if (!methods.includes(request.method))
      return jsonAnswer(405, { error: 'method_not_allowed' }, { ...cors, Allow: methods.join(', ') });
    try {
      await this.#limit.admit(`${request.path} ${this.#authority.callerOf(request)}`);
      const answer = await endpoint.answer(request);
      return { ...answer, headers: { ...answer.headers, ...cors } };
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const wait = error.status === 429 || error.status === 503 ? { 'Retry-After': '60' } : {};
      const usedBasic = /^basic /i.test(request.header('authorization') ?? '');
      const challenge = error.code === 'invalid_client' && usedBasic ? { 'WWW-Authenticate': 'Basic' } : {};
      return errorAnswer(error, { ...cors, ...wait, ...challenge });
    }
  }

  #addEndpoints({ registration, grantHandlers = new Map() }: AuthorizationServerOptions): void {
    const authority = this.#authority;
    const root = new URL(authority.base).pathname.replace(/\/$/, '');
    const add = (name: string, endpoint: Endpoint): unknown => this.#endpoints.set(`${root}/${name}`, endpoint);
    const forPrograms = { methods: ['POST'], forPrograms: true };
    const [metadataPath] = authorizationServerMetadataUrls(authority.issuer).map(({ url }) => url.pathname);
    this.#endpoints.set(metadataPath ?? '', {
      methods: ['GET', 'HEAD'],
      forPrograms: true,
      answer: () => jsonAnswer(200, this.metadata, { 'Cache-Control': 'public, max-age=300' }),
    });
    add('authorize', {
      methods: ['GET', 'POST'],
      forPrograms: false,
      answer: (request) => answerAuthorize(request, authority),
    });
    add('token', { ...forPrograms, answer: (request) => answerToken(request, authority, grantHandlers) });
    add('revoke', { ...forPrograms, answer: (request) => answerRevocation(request, authority) });
    add('introspect', { ...forPrograms, answer: (request) => answerIntrospection(request, authority) });
    if (registration !== false) {
      const { maxPerHour = 20, maxPerHourOfAll = 1000 } = registration ?? {};
      const { store, now } = authority;
      const ofOne = new RateLimit(store, 'register', { max: maxPerHour, windowMs: HOUR }, now);
      const ofAll = new RateLimit(store, 'register-all', { max: maxPerHourOfAll, windowMs: HOUR }, now);
      const answer = async (request: HttpRequest): Promise<Answer> => {
        await ofOne.admit(authority.callerOf(request));
        await ofAll.admit('all');
        return answerRegistration(request, authority);
      };
      add('register', { ...forPrograms, answer });
    }
    for (const path of authority.login.paths ?? [])
      add(path.replace(/^\//, ''), {
        methods: ['GET', 'POST'],
        forPrograms: false,
        answer: async (request) => {
          const answer = await authority.login.handle?.(request, authority);
          if (answer === undefined) throw new OAuthFault('server_error', 'The login has no answer to this address.');
          return answer;
        },
      });
  }

  /**
   * Refuses foreign host names on loopback connections: a page under a name pointed at this machine could misuse the browser (DNS
   * rebinding).
   */
  #isOwnHost(request: HttpRequest): boolean {
    if (request.isLoopback !== true) return true;
    const host = (request.header('host') ?? '').toLowerCase();
    const name = host.replace(/:\d+$/, '');
    return isLoopbackName(name) || host === new URL(this.#authority.base).host;
  }
}

function makeMetadata(
  { issuer, base, scopes, proofs }: Authority,
  options: AuthorizationServerOptions,
): AuthorizationServerMetadata {
  const methods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];
  const { serviceDocumentationUrl: documentation, grantHandlers, clients = [] } = options;
  // Some clients copy this list into their registration, where `client_credentials` is refused.
  const machines = clients.some((client) => client.grant_types?.includes(CLIENT_CREDENTIALS));
  return {
    issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    ...(options.registration !== false && { registration_endpoint: `${base}/register` }),
    revocation_endpoint: `${base}/revoke`,
    introspection_endpoint: `${base}/introspect`,
    ...(scopes.length > 0 && { scopes_supported: [...scopes] }),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      ...ATTENDED_GRANTS,
      ...(machines ? [CLIENT_CREDENTIALS] : []),
      ...(grantHandlers?.keys() ?? []),
    ],
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: [...SIGNATURE_ALGORITHMS],
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods.slice(1),
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...(options.clientDocuments !== false && { client_id_metadata_document_supported: true }),
    ...(grantHandlers?.has(JWT_BEARER) && {
      authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    }),
    dpop_signing_alg_values_supported: [...proofs.algorithms],
    ...(documentation !== undefined && { service_documentation: String(documentation) }),
  };
}
