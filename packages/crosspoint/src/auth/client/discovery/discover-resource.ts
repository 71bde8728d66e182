import type { JsonObject } from '../../../jsonrpc/message.ts';
import type { OAuthProtectedResourceMetadata } from '../../oauth-types.ts';
import { shownAddress } from '../../outbound/outbound-error.ts';
import type { FetchLike } from '../../outbound/policy.ts';
import { resourceCovers } from '../../resource-identifier.ts';
import { protectedResourceMetadataUrls } from '../../well-known.ts';
import { RULES, type Trace } from '../auth-step.ts';
import { AuthFlowError } from '../flow-error.ts';
import { describeAnswer, isOutOfOrder, readJsonAnswer, stringsIn } from './json-answer.ts';

export interface DiscoveryTools {
  readonly fetch: FetchLike;
  readonly trace?: Trace | undefined;
}

export interface FoundResource {
  readonly metadata: OAuthProtectedResourceMetadata;
  readonly url: URL;
}

const STEP = 'protected-resource metadata';

/**
 * Finds the protected-resource metadata of a server: at the address in its challenge, else at the path form, else at the root. `undefined`
 * when there is none, as with servers of the first revision. Rejects when the metadata cannot be loaded.
 */
export async function discoverResource(
  serverUrl: URL,
  named: URL | undefined,
  tools: DiscoveryTools,
): Promise<FoundResource | undefined> {
  const places = [...(named === undefined ? [] : [named]), ...protectedResourceMetadataUrls(serverUrl)];
  const tried = new Set<string>();
  let status: number | undefined;
  for (const url of places) {
    if (tried.has(url.href)) continue;
    tried.add(url.href);
    const loaded = await loadResourceMetadata(url, url === named, tools);
    if (loaded.metadata !== undefined) return { metadata: loaded.metadata, url };
    if (loaded.isOut) status = loaded.status;
  }
  // An unavailable server is not one without metadata.
  if (status === undefined) return undefined;
  throw new AuthFlowError(
    'unavailable',
    `${shownAddress(serverUrl)} is unavailable: the request for its metadata was answered with ${status}. Try again later.`,
    { status },
  );
}

interface LoadedMetadata {
  readonly metadata: OAuthProtectedResourceMetadata | undefined;
  readonly status: number;
  readonly isOut: boolean;
}

/** Loads one candidate address. A response that is no such document means there is none at this address. */
async function loadResourceMetadata(
  url: URL,
  isNamed: boolean,
  { fetch, trace }: DiscoveryTools,
): Promise<LoadedMetadata> {
  const request = `GET ${shownAddress(url)}`;
  const response = await fetch(url, { headers: { Accept: 'application/json' } });
  const answer = describeAnswer(response);
  const read = await readResourceMetadata(response);
  const how = isNamed ? 'The challenge names this address' : 'This is a well-known address';
  const verdict = typeof read === 'object' ? 'good' : 'missing';
  const explanation = typeof read === 'object' ? `${how}, and the document is there.` : `${how}, but ${read}.`;
  trace?.({ step: STEP, request, answer, verdict, explanation, rule: RULES.resourceMetadata });
  const metadata = typeof read === 'object' ? read : undefined;
  return { metadata, status: response.status, isOut: isOutOfOrder(response) };
}

/** Reads the response: the document, or why there is none. */
export async function readResourceMetadata(response: Response): Promise<OAuthProtectedResourceMetadata | string> {
  if (!response.ok) return `it was answered with ${response.status}`;
  const read = await readJsonAnswer(response);
  if (read.kind === 'none') return read.why;
  return typeof read.value['resource'] === 'string' || stringsIn(read.value, 'authorization_servers') !== undefined
    ? withKnownMembers(read.value)
    : 'the document names neither a resource nor authorization servers';
}

function withKnownMembers(value: JsonObject): OAuthProtectedResourceMetadata {
  const servers = stringsIn(value, 'authorization_servers');
  const scopes = stringsIn(value, 'scopes_supported');
  const { authorization_servers: _a, scopes_supported: _s, ...rest } = value;
  return {
    ...rest,
    resource: typeof value['resource'] === 'string' ? value['resource'] : '',
    ...(servers !== undefined && { authorization_servers: servers }),
    ...(scopes !== undefined && { scopes_supported: scopes }),
  };
}

/** The resource to request tokens for, exactly as the document spells it. Throws when it does not cover this server. */
export function checkedResource(
  metadata: OAuthProtectedResourceMetadata,
  serverUrl: URL,
  override: string | undefined,
): string {
  const { resource } = metadata;
  if (override !== undefined) return override;
  if (resource !== '' && resourceCovers(resource, serverUrl)) return resource;
  const server = shownAddress(serverUrl);
  throw new AuthFlowError(
    'resource-mismatch',
    resource === ''
      ? `The metadata of ${server} names no resource, so it could be that of any server. Its operator has to add resource; or set overrides.resource for this server.`
      : `The metadata of ${server} describes another server, ${JSON.stringify(resource.slice(0, 200))}: its tokens would be for that server. Connect to the address that the metadata names, or have its operator fix it. If you know that it is right, set overrides.resource for this server.`,
    { expected: server, received: resource },
  );
}
