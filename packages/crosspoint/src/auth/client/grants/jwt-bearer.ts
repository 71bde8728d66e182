import type { FetchLike } from '../../outbound/policy.ts';
import { AuthFlowError } from '../flow-error.ts';
import type { TokenRequestContext } from '../oauth-client-provider.ts';
import { GrantProvider } from './grant-provider.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Purpose of a requested assertion. */
export interface AssertionContext {
  /** Issuer of the authorization server, which is the audience of the assertion. */
  readonly authorizationServerUrl: string;
  readonly resourceUrl: string;
  readonly scope?: string | undefined;
  readonly fetchFn: FetchLike;
}

export type CrossAppAccessContext = AssertionContext;
export type AssertionCallback = (context: AssertionContext) => string | Promise<string>;

/** A client that exchanges an assertion for tokens (RFC 7523 section 2.1). A refusal is an error; nothing else is tried. */
class AssertionProvider extends GrantProvider {
  readonly #assertion: AssertionCallback;

  constructor(options: ConstructorParameters<typeof GrantProvider>[0] & { readonly assertion: AssertionCallback }) {
    super(options);
    this.#assertion = options.assertion;
  }

  override async prepareTokenRequest(scope?: string, context?: TokenRequestContext): Promise<URLSearchParams> {
    if (context === undefined)
      throw new AuthFlowError(
        'configuration',
        'The assertion needs an authorization server: call the provider through auth().',
      );
    const { issuer, resource, fetch } = context;
    const assertion = await this.#assertion({
      authorizationServerUrl: issuer,
      resourceUrl: resource,
      scope,
      fetchFn: fetch,
    });
    const params = await super.prepareTokenRequest(scope, context);
    params.set('assertion', assertion);
    return params;
  }
}

export interface CrossAppAccessProviderOptions {
  /** Obtains the identity assertion, as `requestJwtAuthorizationGrant` does. */
  readonly assertion: AssertionCallback;
  /** Id of this program at the server's authorization server. */
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly clientName?: string | undefined;
  readonly scope?: string | undefined;
  readonly expectedIssuer?: string | undefined;
}

/** Enterprise-managed authorization: the organisation's identity provider decides, without a login page. */
export class CrossAppAccessProvider extends AssertionProvider {
  constructor(options: CrossAppAccessProviderOptions) {
    super({
      ...options,
      authMethod: options.clientSecret === undefined ? 'none' : 'client_secret_basic',
      grantType: JWT_BEARER,
      extensions: ['io.modelcontextprotocol/enterprise-managed-authorization'],
    });
  }
}

export interface WorkloadIdentityProviderOptions {
  readonly clientId: string;
  /** Token of the workload, or a function that reads it. Platforms renew it in place, so a function is called every time. */
  readonly assertion: string | AssertionCallback;
  readonly clientName?: string | undefined;
  readonly scope?: string | undefined;
  readonly expectedIssuer?: string | undefined;
}

/** Workload identity: the platform that runs the program vouches for it, so that no secret is needed. */
export class WorkloadIdentityProvider extends AssertionProvider {
  constructor(options: WorkloadIdentityProviderOptions) {
    const { assertion } = options;
    super({
      ...options,
      assertion: typeof assertion === 'string' ? () => assertion : assertion,
      authMethod: 'none',
      grantType: JWT_BEARER,
      extensions: ['io.modelcontextprotocol/auth/wif'],
    });
  }
}
