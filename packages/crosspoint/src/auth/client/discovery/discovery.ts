import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '../../oauth-types.ts';
import { shownAddress } from '../../outbound/outbound-error.ts';
import { urlFault, type OutboundPolicy } from '../../outbound/policy.ts';
import { canonicalResource } from '../../resource-identifier.ts';
import { RULES } from '../auth-step.ts';
import { checkedResource, discoverResource, type DiscoveryTools } from './discover-resource.ts';
import { assumedServerMetadata, discoverServer } from './discover-server.ts';
import { AuthFlowError } from '../flow-error.ts';

/** Corrections for a server with wrong metadata. `Discovery.overridden` lists those that took effect. */
export interface ServerOverrides {
  /** Issuer that the authorization server's metadata may name although it was found at another address. Compared exactly. */
  readonly issuer?: string | undefined;
  /** Authorization server to use, whatever the server names. */
  readonly authorizationServer?: string | undefined;
  /** Resource to request tokens for. */
  readonly resource?: string | undefined;
  /** Members to replace in the authorization server's metadata. */
  readonly metadata?: Partial<AuthorizationServerMetadata> | undefined;
}

export interface Discovery {
  readonly metadata: AuthorizationServerMetadata;
  /** Sent as `resource`, unchanged. */
  readonly resource: string;
  readonly resourceMetadata: OAuthProtectedResourceMetadata | undefined;
  readonly resourceMetadataUrl: string | undefined;
  /** No metadata was found; the endpoints are those of servers of the first revision. */
  readonly isAssumed: boolean;
  /** Names of the overrides that took effect. */
  readonly overridden: readonly string[];
}

export interface DiscoverOptions extends DiscoveryTools {
  /** Address of the metadata, from the challenge. */
  readonly resourceMetadataUrl?: URL | undefined;
  readonly overrides?: ServerOverrides | undefined;
  readonly policy?: OutboundPolicy | undefined;
  /** Chooses among several authorization servers; the first when absent. */
  readonly choose?: ((issuers: readonly string[]) => string | Promise<string>) | undefined;
}

/** Finds and checks the authorization server of a server. */
export async function discover(serverUrl: URL, options: DiscoverOptions): Promise<Discovery> {
  const { overrides = {}, trace } = options;
  const found = await discoverResource(serverUrl, options.resourceMetadataUrl, options);
  const resource =
    found === undefined
      ? (overrides.resource ?? canonicalResource(serverUrl))
      : checkedResource(found.metadata, serverUrl, overrides.resource);
  const listed = found?.metadata.authorization_servers ?? [];
  if (found !== undefined && listed.length === 0 && overrides.authorizationServer === undefined)
    throw new AuthFlowError(
      'resource-metadata',
      `The metadata of ${shownAddress(serverUrl)} names no authorization server. Its operator has to add authorization_servers; or set overrides.authorizationServer for this server.`,
    );
  const server = await findServer(serverUrl, listed, options);
  const metadata = { ...server.metadata, ...overrides.metadata };
  checkEndpoints(metadata, options.policy);
  const overridden = Object.keys(overrides).filter((name) => overrides[name as keyof ServerOverrides] !== undefined);
  if (overridden.length > 0)
    trace?.({
      step: 'overrides',
      verdict: 'note',
      explanation: `You overrode ${overridden.join(', ')} for this server.`,
    });
  return {
    metadata,
    resource,
    resourceMetadata: found?.metadata,
    resourceMetadataUrl: found?.url.href,
    isAssumed: server.isAssumed,
    overridden,
  };
}

interface ChosenServer {
  readonly metadata: AuthorizationServerMetadata;
  readonly isAssumed: boolean;
}

async function findServer(serverUrl: URL, listed: readonly string[], options: DiscoverOptions): Promise<ChosenServer> {
  const { overrides = {}, trace, choose } = options;
  const chosen = overrides.authorizationServer ?? (listed.length > 1 ? await choose?.(listed) : undefined) ?? listed[0];
  if (chosen === undefined) return findOldServer(serverUrl, options);
  const others = overrides.authorizationServer === undefined ? listed.filter((issuer) => issuer !== chosen) : [];
  for (const issuer of [chosen, ...others]) {
    // An address such as `data:…` has no origin that could publish metadata.
    if (!URL.canParse(issuer) || new URL(issuer).origin === 'null')
      throw new AuthFlowError(
        'resource-metadata',
        `The server names ${JSON.stringify(issuer.slice(0, 200))} as its authorization server, which is not an address. Its operator has to correct authorization_servers; or set overrides.authorizationServer for this server.`,
      );
    const found = await discoverServer(issuer, overrides.issuer ?? issuer, options);
    if (found !== undefined) return { metadata: found.metadata, isAssumed: false };
    trace?.({
      step: 'authorization-server metadata',
      verdict: 'bad',
      explanation: `${issuer} has no metadata at any of the documented addresses.`,
      rule: RULES.serverMetadata,
    });
  }
  throw new AuthFlowError(
    'server-metadata',
    `The authorization server ${chosen} of ${shownAddress(serverUrl)} has no metadata at any of the documented addresses (oauth-authorization-server, openid-configuration). Its operator has to publish it; explainAuth shows what each address answered.`,
    { issuer: chosen },
  );
}

/** Before resource metadata existed, every server was its own authorization server, at the root of its origin. */
async function findOldServer(serverUrl: URL, options: DiscoverOptions): Promise<ChosenServer> {
  const { origin } = serverUrl;
  const found = await discoverServer(origin, options.overrides?.issuer ?? origin, options);
  if (found !== undefined) return { metadata: found.metadata, isAssumed: false };
  options.trace?.({
    step: 'authorization-server metadata',
    verdict: 'note',
    explanation: `${origin} says nothing about authorization, so it is taken for a server of the first revision with /authorize, /token and /register.`,
    rule: RULES.oldServers,
  });
  return { metadata: assumedServerMetadata(origin), isAssumed: true };
}

const ENDPOINTS = ['token_endpoint', 'registration_endpoint', 'authorization_endpoint'] as const;

/** Rejects metadata with an endpoint that the outbound policy forbids, before anything is sent to it. */
function checkEndpoints(metadata: AuthorizationServerMetadata, policy: OutboundPolicy | undefined): void {
  for (const name of ENDPOINTS) {
    const endpoint = metadata[name];
    if (endpoint === undefined) continue;
    const fault = URL.canParse(endpoint) ? urlFault(new URL(endpoint), policy) : undefined;
    if (URL.canParse(endpoint) && fault === undefined) continue;
    throw new AuthFlowError(
      'server-metadata',
      `The authorization server ${metadata.issuer} names an endpoint that is not used (${name}). ${fault?.message ?? 'It is not an address.'}`,
      { issuer: metadata.issuer, endpoint: name },
      fault === undefined ? undefined : { cause: fault },
    );
  }
}
