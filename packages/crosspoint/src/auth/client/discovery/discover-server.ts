import type { JsonObject } from '../../../jsonrpc/message.ts';
import type { AuthorizationServerMetadata } from '../../oauth-types.ts';
import { OutboundError, shownAddress } from '../../outbound/outbound-error.ts';
import { authorizationServerMetadataUrls } from '../../well-known.ts';
import { RULES } from '../auth-step.ts';
import type { DiscoveryTools } from './discover-resource.ts';
import { AuthFlowError, IssuerMismatchError } from '../flow-error.ts';
import { describeAnswer, isOutOfOrder, readJsonAnswer, stringIn, stringsIn } from './json-answer.ts';

const STEP = 'authorization-server metadata';
const LISTS = [
  'scopes_supported',
  'grant_types_supported',
  'response_types_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'dpop_signing_alg_values_supported',
];
const TEXTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint', 'jwks_uri'];

export interface FoundServer {
  readonly metadata: AuthorizationServerMetadata;
  readonly url: URL;
}

/**
 * Finds the metadata of an authorization server at the documented addresses, in order. Its issuer must equal `expected` exactly, which is
 * the issuer looked up unless the user overrode it. `undefined` when there is no document.
 */
export async function discoverServer(
  issuer: string,
  expected: string,
  tools: DiscoveryTools,
): Promise<FoundServer | undefined> {
  for (const { url } of authorizationServerMetadataUrls(issuer)) {
    const metadata = await loadServerMetadata(url, expected, tools);
    if (metadata !== undefined) return { metadata, url };
  }
  return undefined;
}

async function loadServerMetadata(
  url: URL,
  expected: string,
  { fetch, trace }: DiscoveryTools,
): Promise<AuthorizationServerMetadata | undefined> {
  const request = `GET ${shownAddress(url)}`;
  const about = { step: STEP, request, rule: RULES.serverMetadata };
  let response: Response;
  try {
    response = await fetch(url, { headers: { Accept: 'application/json' } });
  } catch (error) {
    // A redirect or an oversized body counts as "no document here"; every other outbound error is a fault.
    const isAway = error instanceof OutboundError && (error.fault === 'redirect' || error.fault === 'too-large');
    trace?.({ ...about, verdict: 'bad', explanation: (error as Error).message });
    if (isAway) return undefined;
    throw error;
  }
  const answer = describeAnswer(response);
  const read = await readServerMetadata(response);
  if (typeof read === 'string') {
    trace?.({ ...about, answer, verdict: 'missing', explanation: `There is no document here: ${read}.` });
    if (isOutOfOrder(response))
      throw new AuthFlowError(
        'unavailable',
        `The authorization server ${expected} is unavailable: the request for its metadata was answered with ${response.status}. Try again later.`,
        { issuer: expected, status: response.status },
      );
    return undefined;
  }
  if (read.issuer !== expected) {
    const mismatch = new IssuerMismatchError('metadata', expected, read.issuer);
    trace?.({ ...about, answer, verdict: 'bad', explanation: mismatch.message, rule: RULES.issuer });
    throw mismatch;
  }
  trace?.({
    ...about,
    answer,
    verdict: 'good',
    explanation: 'The document is there, and its issuer is the right one.',
  });
  return read;
}

/** Reads the response: the document, or why there is none. */
export async function readServerMetadata(response: Response): Promise<AuthorizationServerMetadata | string> {
  if (!response.ok) return `it was answered with ${response.status}`;
  const read = await readJsonAnswer(response);
  if (read.kind === 'none') return read.why;
  const issuer = stringIn(read.value, 'issuer');
  if (issuer === undefined) return 'the document names no issuer';
  return { ...withCheckedMembers(read.value), issuer };
}

/** Drops members of the wrong type. */
function withCheckedMembers(value: JsonObject): JsonObject {
  const checked: JsonObject = { ...value };
  for (const name of TEXTS) if (name in value && stringIn(value, name) === undefined) delete checked[name];
  for (const name of LISTS) {
    const list = stringsIn(value, name);
    if (list !== undefined) checked[name] = list;
    else delete checked[name];
  }
  return checked;
}

/** Metadata that servers of the first revision have without publishing it. */
export function assumedServerMetadata(origin: string): AuthorizationServerMetadata {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

/** Throws unless the server supports PKCE with S256. */
export function requirePkce({ issuer, code_challenge_methods_supported: methods }: AuthorizationServerMetadata): void {
  if (methods?.includes('S256') === true) return;
  throw new AuthFlowError(
    'no-pkce',
    `The authorization server ${issuer} does not say that it supports PKCE with S256 (${methods === undefined ? 'its metadata has no code_challenge_methods_supported' : `it lists ${methods.join(', ') || 'nothing'}`}), so a stolen code could be used. Its operator has to add it. If you know that it does, set overrides.metadata.code_challenge_methods_supported for this server.`,
    { issuer, methods },
  );
}
