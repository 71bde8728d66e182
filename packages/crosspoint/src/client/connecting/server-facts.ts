import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { CacheHints } from '../../protocol/listing.ts';
import { META_SERVER_INFO } from '../../protocol/meta.ts';

export interface DiscoverResult extends CacheHints {
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  instructions?: string;
  _meta?: JsonObject;
}

/** Facts that a server stated about itself while connecting. */
export interface ServerFacts {
  readonly capabilities: ServerCapabilities;
  readonly info?: Implementation;
  readonly instructions?: string;
  /** Present only after `server/discover`. */
  readonly discovered?: DiscoverResult;
}

/** `undefined` when this is no result of `server/discover`: some servers answer every method with an empty object. */
export function readDiscoverResult(result: JsonObject): DiscoverResult | undefined {
  const { supportedVersions, capabilities } = result;
  if (!Array.isArray(supportedVersions) || !supportedVersions.every((version) => typeof version === 'string'))
    return undefined;
  return isJsonObject(capabilities) ? (result as object as DiscoverResult) : undefined;
}

export function discoveredFacts(discovered: DiscoverResult): ServerFacts {
  return {
    ...factsIn(discovered.capabilities, discovered._meta?.[META_SERVER_INFO], discovered.instructions),
    discovered,
  };
}

/** Reads the result of `initialize`. Missing members count as empty: some servers leave out what the handshake requires. */
export function initializedFacts(result: JsonObject): ServerFacts {
  return factsIn(result['capabilities'], result['serverInfo'], result['instructions']);
}

function factsIn(capabilities: unknown, info: unknown, instructions: unknown): ServerFacts {
  const facts: { -readonly [Key in keyof ServerFacts]: ServerFacts[Key] } = {
    capabilities: isJsonObject(capabilities) ? capabilities : {},
  };
  if (isJsonObject(info) && typeof info['name'] === 'string') facts.info = { version: '', ...info, name: info['name'] };
  if (typeof instructions === 'string') facts.instructions = instructions;
  return facts;
}
