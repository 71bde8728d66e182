import { asError } from '../../runtime/guard.ts';
import { parseChallenges, type Challenge } from '../challenge.ts';
import type { AuthorizationServerMetadata } from '../oauth-types.ts';
import { createOutboundFetch } from '../outbound/outbound-fetch.ts';
import { shownAddress } from '../outbound/outbound-error.ts';
import { policyFor, type FetchLike, type OutboundPolicy } from '../outbound/policy.ts';
import { selectScope, withOfflineAccess } from './authorization-request.ts';
import { RULES, type AuthStep } from './auth-step.ts';
import { requirePkce } from './discovery/discover-server.ts';
import { discover, type Discovery, type ServerOverrides } from './discovery/discovery.ts';
import { describeAnswer } from './discovery/json-answer.ts';
import type { OAuthClientProvider } from './oauth-client-provider.ts';

export interface ExplainOptions {
  /** Provider to explain the login for; a program without a registered client when absent. */
  readonly provider?:
    | Pick<OAuthClientProvider, 'clientInformation' | 'clientMetadataUrl' | 'clientMetadata'>
    | undefined;
  readonly overrides?: ServerOverrides | undefined;
  readonly policy?: OutboundPolicy | undefined;
  readonly fetch?: FetchLike | undefined;
}

export interface AuthExplanation {
  /** Whether a login could be started. */
  readonly ok: boolean;
  /** All requests and decisions, in order. */
  readonly steps: readonly AuthStep[];
  readonly discovery: Discovery | undefined;
  readonly error: Error | undefined;
}

/**
 * Goes through the steps before a login without logging in. Each step says what was requested, what came back, what that means, and which
 * specification has the rule.
 */
export async function explainAuth(serverUrl: string | URL, options: ExplainOptions = {}): Promise<AuthExplanation> {
  const url = new URL(serverUrl);
  const policy = policyFor(url, { ...options.policy, ...(options.fetch && { fetch: options.fetch }) });
  const fetch = createOutboundFetch(policy);
  const steps: AuthStep[] = [];
  const trace = (step: AuthStep): void => void steps.push(step);
  let discovery: Discovery | undefined;
  let canRegister = false;
  try {
    const challenge = await probe(url, fetch, trace);
    const named = challenge?.params['resource_metadata'];
    const resourceMetadataUrl = named !== undefined && URL.canParse(named) ? new URL(named) : undefined;
    discovery = await discover(url, { fetch, trace, policy, overrides: options.overrides, resourceMetadataUrl });
    trace({
      step: 'resource',
      verdict: 'good',
      explanation: `Tokens are asked for the resource ${discovery.resource}.`,
      rule: RULES.resource,
    });
    explainPkce(discovery.metadata, trace);
    canRegister = await explainRegistration(discovery.metadata, options, trace);
    explainScope(discovery, challenge, options, trace);
    explainBindings(discovery.metadata, challenge, trace);
  } catch (error) {
    const failure = asError(error);
    trace({ step: 'end', verdict: 'bad', explanation: failure.message });
    return { ok: false, steps, discovery, error: failure };
  }
  return { ok: canRegister, steps, discovery, error: undefined };
}

type Tell = (step: AuthStep) => void;

async function probe(url: URL, fetch: FetchLike, trace: Tell): Promise<Challenge | undefined> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
  });
  const all = parseChallenges(response.headers.get('www-authenticate'));
  const challenge = all.find(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  const about = {
    step: 'request without a token',
    request: `POST ${shownAddress(url)}`,
    answer: describeAnswer(response),
    rule: RULES.challenge,
  };
  if (response.status !== 401)
    trace({ ...about, verdict: 'note', explanation: `The server does not ask for a token (${response.status}).` });
  else if (challenge === undefined)
    trace({
      ...about,
      verdict: 'missing',
      explanation:
        'The server wants a token, but its answer has no WWW-Authenticate header with a Bearer challenge. The well-known addresses are tried.',
    });
  else
    trace({
      ...about,
      verdict: 'good',
      explanation: `The server wants a token. Its challenge names ${Object.keys(challenge.params).join(', ') || 'nothing'}.`,
    });
  return challenge;
}

function explainPkce(metadata: AuthorizationServerMetadata, trace: Tell): void {
  requirePkce(metadata);
  trace({ step: 'PKCE', verdict: 'good', explanation: 'Codes are protected with S256.', rule: RULES.pkce });
}

async function explainRegistration(
  metadata: AuthorizationServerMetadata,
  options: ExplainOptions,
  trace: Tell,
): Promise<boolean> {
  const { provider } = options;
  const about = { step: 'client registration', rule: RULES.registration };
  const known = await provider?.clientInformation({ issuer: metadata.issuer });
  const canUseDocument =
    metadata.client_id_metadata_document_supported === true && provider?.clientMetadataUrl !== undefined;
  if (known !== undefined) trace({ ...about, verdict: 'good', explanation: `The client ${known.client_id} is used.` });
  else if (canUseDocument)
    trace({
      ...about,
      verdict: 'good',
      explanation: `The client metadata document ${provider?.clientMetadataUrl} is used.`,
    });
  else if (metadata.registration_endpoint !== undefined)
    trace({ ...about, verdict: 'good', explanation: 'A client would register itself. That was not tried.' });
  else
    trace({
      ...about,
      verdict: 'bad',
      explanation: `No client can register itself${metadata.client_id_metadata_document_supported === true ? '; with a client metadata document (clientMetadataUrl) it could be known' : ''}. Register one by hand and give its client_id.`,
    });
  return known !== undefined || metadata.registration_endpoint !== undefined || canUseDocument;
}

function explainScope(
  discovery: Discovery,
  challenge: Challenge | undefined,
  options: ExplainOptions,
  trace: Tell,
): void {
  const { resourceMetadata, metadata } = discovery;
  const clientMetadata = options.provider?.clientMetadata;
  const selected = selectScope({
    challenged: challenge?.params['scope'],
    resourceMetadata,
    configured: clientMetadata?.scope,
  });
  const scope = withOfflineAccess(selected, metadata, clientMetadata?.grant_types);
  const from = challenge?.params['scope'] === undefined ? 'the metadata of the server or the program' : 'the challenge';
  trace({
    step: 'scope',
    verdict: 'good',
    explanation:
      scope === undefined
        ? 'No scope is named anywhere, so none is asked for.'
        : `"${scope}" would be asked for, from ${from}.`,
    rule: RULES.scope,
  });
}

function explainBindings(metadata: AuthorizationServerMetadata, challenge: Challenge | undefined, trace: Tell): void {
  const isPromised = metadata.authorization_response_iss_parameter_supported === true;
  trace({
    step: 'issuer of the answer',
    verdict: isPromised ? 'good' : 'note',
    explanation: isPromised
      ? 'The answer must carry the issuer.'
      : 'The authorization server may omit its issuer from the answer; if it is there, it is checked.',
    rule: RULES.issParameter,
  });
  if (challenge?.scheme === 'dpop')
    trace({
      step: 'DPoP',
      verdict: 'note',
      explanation: 'The server wants tokens that are bound to a key.',
      rule: 'RFC 9449',
    });
}
