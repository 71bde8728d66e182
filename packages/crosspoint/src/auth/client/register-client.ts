import { redactText } from '../../protocol/redaction/redact-text.ts';
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationFull,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
} from '../oauth-types.ts';
import { isLoopbackName, type FetchLike } from '../outbound/policy.ts';
import { RULES, type Trace } from './auth-step.ts';
import { isExpired } from './client-authentication.ts';
import { AuthFlowError, AuthorizationServerMismatchError, RegistrationRejectedError } from './flow-error.ts';
import { readJsonAnswer, stringIn } from './discovery/json-answer.ts';
import type { OAuthClientProvider, StoredOAuthClientInformation } from './oauth-client-provider.ts';

/** Throws when the address cannot be that of a client metadata document. */
export function validateClientMetadataUrl(url: string | undefined): void {
  if (url === undefined) return;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (
    parsed?.protocol === 'https:' &&
    parsed.pathname !== '/' &&
    parsed.hash === '' &&
    parsed.username === '' &&
    parsed.password === '' &&
    !/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(url.slice(url.indexOf('//') + 2))
  )
    return;
  throw new AuthFlowError(
    'configuration',
    'clientMetadataUrl must be the https address of the metadata document of this client, with a path and without fragment and credentials, such as https://example.com/client.json.',
  );
}

/** The document to serve at `url`. Throws when authorization servers would reject it. */
export function clientMetadataDocument(
  url: string,
  metadata: OAuthClientMetadata,
): OAuthClientMetadata & { client_id: string; client_name: string; redirect_uris: string[] } {
  validateClientMetadataUrl(url);
  const { client_name: name } = metadata;
  const redirects = metadata.redirect_uris.map(String);
  if (name === undefined || name === '' || redirects.length === 0)
    throw new AuthFlowError('configuration', 'A client metadata document needs a client_name and redirect_uris.');
  checkRedirects(redirects);
  return {
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...metadata,
    client_id: url,
    client_name: name,
    redirect_uris: redirects,
  };
}

/** Throws unless redirects go to https, to this machine, or to the scheme of an application; never to plain http elsewhere. */
export function checkRedirects(redirects: readonly (string | URL)[]): void {
  for (const redirect of redirects) {
    const url = URL.canParse(String(redirect)) ? new URL(redirect) : undefined;
    if (url !== undefined && url.hash === '' && isSafeRedirect(url)) continue;
    throw new AuthFlowError(
      'configuration',
      `${JSON.stringify(String(redirect))} cannot be a redirect address: it must be https, or http on this machine, and without a fragment.`,
    );
  }
}

function isSafeRedirect({ protocol, hostname }: URL): boolean {
  if (protocol === 'http:') return isLoopbackName(hostname);
  // Private-use schemes of applications contain a dot (RFC 8252 section 7.1); at least those that execute code are refused.
  return !/^(?:javascript|data|file|vbscript|ftp|ws|wss|blob|about):$/.test(protocol);
}

/** The application type, derived from the redirect addresses. */
export function applicationType(redirects: readonly (string | URL)[]): 'native' | 'web' {
  const isRemote = (redirect: string | URL): boolean => {
    const { protocol, hostname } = new URL(redirect);
    return protocol === 'https:' && !isLoopbackName(hostname);
  };
  return redirects.length > 0 && redirects.every(isRemote) ? 'web' : 'native';
}

export interface RegistrationTools {
  readonly fetch: FetchLike;
  readonly trace?: Trace | undefined;
}

/**
 * The client of `provider` at this authorization server: already known, by its metadata document, newly registered, or asked for, in this
 * order. A client of another authorization server is never used.
 */
export async function obtainClient(
  provider: OAuthClientProvider,
  metadata: AuthorizationServerMetadata,
  tools: RegistrationTools,
): Promise<OAuthClientInformationMixed> {
  const context = { issuer: metadata.issuer };
  const step = 'client registration';
  const note = (explanation: string): void =>
    tools.trace?.({ step, verdict: 'good', explanation, rule: RULES.registration });
  const known = await provider.clientInformation(context);
  if (known !== undefined && belongsHere(provider, known, metadata.issuer) && !isExpired(known)) {
    note('This client is known to the authorization server already.');
    return known;
  }
  validateClientMetadataUrl(provider.clientMetadataUrl);
  if (metadata.client_id_metadata_document_supported === true && provider.clientMetadataUrl !== undefined) {
    note('The authorization server reads client metadata documents, so the address of ours is the client id.');
    const information: StoredOAuthClientInformation = {
      client_id: provider.clientMetadataUrl,
      issuer: metadata.issuer,
    };
    await provider.saveClientInformation?.(information, context);
    return information;
  }
  const obtained = await registerOrAsk(provider, metadata, tools);
  if (obtained === undefined) throw noWayIn(metadata, provider);
  await provider.saveClientInformation?.({ ...obtained, issuer: metadata.issuer }, context);
  return obtained;
}

/** Registers a client; asks for one registered by hand where that is impossible or refused. */
async function registerOrAsk(
  provider: OAuthClientProvider,
  metadata: AuthorizationServerMetadata,
  tools: RegistrationTools,
): Promise<OAuthClientInformationMixed | undefined> {
  const context = { issuer: metadata.issuer };
  if (metadata.registration_endpoint === undefined || provider.saveClientInformation === undefined)
    return provider.askForClient?.(context);
  try {
    return await register(metadata, provider.clientMetadata, tools);
  } catch (error) {
    const given = error instanceof RegistrationRejectedError ? await provider.askForClient?.(context) : undefined;
    if (given === undefined) throw error;
    return given;
  }
}

/**
 * Whether a known client belongs to this authorization server. One registered by hand for another server is an error; any other is
 * replaced.
 */
function belongsHere(provider: OAuthClientProvider, known: StoredOAuthClientInformation, issuer: string): boolean {
  if (known.issuer === undefined || known.issuer === issuer || known.client_id === provider.clientMetadataUrl)
    return true;
  if (provider.saveClientInformation === undefined || provider.isClientGiven === true)
    throw new AuthorizationServerMismatchError(known.issuer, issuer);
  return false;
}

function noWayIn(
  { issuer, registration_endpoint: endpoint }: AuthorizationServerMetadata,
  provider: OAuthClientProvider,
): Error {
  const cannot =
    endpoint === undefined
      ? 'it has no registration endpoint, and no client metadata document can be used'
      : 'this provider cannot keep a registration (it has no saveClientInformation)';
  return new AuthFlowError(
    'registration',
    `There is no client for the authorization server ${issuer}: none was given, and ${cannot}${provider.clientMetadataUrl === undefined ? '' : ' (client_id_metadata_document_supported is not set)'}. Register a client there by hand and give its client_id (and client_secret).`,
    { issuer },
  );
}

/** Registers a client (RFC 7591). If the server refuses, it is tried once more without a scope. */
export async function register(
  metadata: AuthorizationServerMetadata,
  clientMetadata: OAuthClientMetadata,
  tools: RegistrationTools,
): Promise<OAuthClientInformationFull> {
  const redirects = clientMetadata.redirect_uris.map(String);
  checkRedirects(redirects);
  const wanted: OAuthClientMetadata = {
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: preferredMethod(metadata.token_endpoint_auth_methods_supported),
    application_type: applicationType(redirects),
    ...clientMetadata,
    redirect_uris: redirects,
  };
  try {
    return await registerOnce(metadata, wanted, tools);
  } catch (error) {
    const { scope, ...withoutScope } = wanted;
    const isAboutScope = error instanceof RegistrationRejectedError && error.status < 500 && scope !== undefined;
    if (!isAboutScope) throw error;
    return registerOnce(metadata, withoutScope, tools);
  }
}

function preferredMethod(supported: readonly string[] | undefined): string {
  const order = ['none', 'client_secret_basic', 'client_secret_post'];
  return (
    order.find((method) => supported?.includes(method)) ?? (supported === undefined ? 'none' : 'client_secret_basic')
  );
}

async function registerOnce(
  metadata: AuthorizationServerMetadata,
  wanted: OAuthClientMetadata,
  { fetch, trace }: RegistrationTools,
): Promise<OAuthClientInformationFull> {
  const response = await fetch(metadata.registration_endpoint ?? `${metadata.issuer}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(wanted),
  });
  const registered = await readRegistration(metadata, wanted, response);
  trace?.({
    step: 'client registration',
    request: 'POST (registration endpoint)',
    answer: String(response.status),
    verdict: 'good',
    explanation: 'The authorization server registered this client.',
    rule: RULES.registration,
  });
  return registered;
}

/** Reads the response. Members that it omits are taken from the request. */
export async function readRegistration(
  metadata: AuthorizationServerMetadata,
  wanted: OAuthClientMetadata,
  response: Response,
): Promise<OAuthClientInformationFull> {
  const read = await readJsonAnswer(response);
  const value = read.kind === 'object' ? read.value : {};
  const clientId = stringIn(value, 'client_id');
  if (response.ok && clientId !== undefined && clientId !== '') return { ...wanted, ...value, client_id: clientId };
  const code = stringIn(value, 'error');
  const said = redactText((stringIn(value, 'error_description') ?? '').slice(0, 300));
  const { issuer } = metadata;
  const reason = `${response.status}${code === undefined ? '' : ` ${code}`}${said === '' ? '' : `, "${said}"`}`;
  throw new RegistrationRejectedError(
    response.ok
      ? `The authorization server ${issuer} answered the registration without a client_id.`
      : `The authorization server ${issuer} does not register this client (${reason}). ${remedyFor(response.status, code, wanted)}`,
    response.status,
    code,
  );
}

function remedyFor(status: number, code: string | undefined, wanted: OAuthClientMetadata): string {
  if (status === 401 || status === 403)
    return 'It wants credentials for that: register a client by hand and give its client_id (and client_secret).';
  if (code === 'invalid_redirect_uri')
    return `It does not take ${wanted.redirect_uris.join(', ')} for an application of the type "${wanted.application_type}": use another redirect address or application_type.`;
  if (status === 404 || status === 405)
    return 'The endpoint does not exist: register a client by hand, or pass the token that the server wants.';
  return 'Register a client by hand and give its client_id, or change clientMetadata.';
}
