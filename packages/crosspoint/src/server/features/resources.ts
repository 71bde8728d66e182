import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { resourceContentsFault } from '../../protocol/content.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { CacheHints } from '../../protocol/listing.ts';
import { isAbsoluteUri } from '../../protocol/resources.ts';
import { described } from '../../runtime/described.ts';
import { InputRequired } from '../asking/input-required.ts';
import type { Caller, ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import { refuseWithoutScopes } from '../callers/needed-scopes.ts';
import { isOffered, type Registry, type TemplateEntry } from '../offering/registry.ts';
import type { Variables } from '../offering/resource-template.ts';

/** Answers `resources/read`: a resource of exactly this URI, otherwise the first template that matches it. */
export async function readResource(
  registry: Registry,
  { params }: HandledRequest,
  ctx: ServerContext,
): Promise<JsonObject> {
  const { uri } = params;
  if (typeof uri !== 'string' || !isAbsoluteUri(uri))
    throw new ProtocolError(
      'invalid-params',
      'resources/read needs a uri: absolute, and with special characters encoded.',
    );
  const url = parseUrl(uri);
  const resource = registry.resources.get(uri) ?? registry.resources.get(url.href);
  if (resource !== undefined) {
    // A template that matches must not reveal a resource that is hidden or disabled under its own URI.
    if (!isOffered(resource, ctx)) throw notFound(uri);
    refuseWithoutScopes(resource, ctx);
    return finishRead(uri, await resource.read(url, ctx), resource.hints);
  }
  const match = matchTemplate(registry, uri, ctx);
  if (match === undefined) throw notFound(uri);
  refuseWithoutScopes(match.entry, ctx);
  return finishRead(uri, await match.entry.read(url, match.variables, ctx), match.entry.hints);
}

export function notFound(uri: string): ProtocolError {
  return new ProtocolError('resource-not-found', `Resource not found: ${uri}`, { uri });
}

function parseUrl(uri: string): URL {
  if (!URL.canParse(uri)) throw new ProtocolError('invalid-params', `Not a valid URI: ${uri}`, { uri });
  if (TRAVERSAL.test(uri))
    throw new ProtocolError(
      'invalid-params',
      `The URI is refused: it climbs out of its folder, or hides a separator.`,
      { uri },
    );
  return new URL(uri);
}

/** Traversal in a file URI: a parent segment in any spelling, an encoded separator, an encoded NUL. `new URL` would resolve the first silently. */
const TRAVERSAL = /^file:.*(?:(?:\/|%2f|%5c)(?:\.|%2e){2}(?:\/|$|%2f|%5c|[?#])|%2f|%5c|%00)/i;

function matchTemplate(
  registry: Registry,
  uri: string,
  ctx: ServerContext,
): { entry: TemplateEntry; variables: Variables } | undefined {
  for (const entry of registry.templates.values()) {
    if (!isOffered(entry, ctx)) continue;
    const variables = entry.template.uriTemplate.match(uri);
    if (variables === null) continue;
    if (!entry.acceptsUnsafeVariables) entry.template.refuseUnsafe(uri, variables);
    return { entry, variables };
  }
  return undefined;
}

/** Whether a caller may watch a resource: one that it may read, or a URI that is not registered, since the program may still announce it. */
export function mayWatch(registry: Registry, uri: string, caller: Caller): boolean {
  const resource = registry.resources.get(uri);
  if (resource !== undefined) return isOffered(resource, caller);
  const matching = [...registry.templates.values()].filter((entry) => entry.template.uriTemplate.match(uri) !== null);
  return matching.length === 0 || matching.some((entry) => isOffered(entry, caller));
}

function finishRead(uri: string, result: unknown, hints: CacheHints | undefined): JsonObject {
  if (result instanceof InputRequired) return result as object as JsonObject;
  // A handler that finds nothing returns `undefined`: empty contents would say that the resource exists.
  if (result === undefined || result === null) throw notFound(uri);
  if (!isJsonObject(result) || !Array.isArray(result['contents']))
    throw new ProtocolError(
      'internal',
      `The handler of the resource ${uri} returned ${isJsonObject(result) ? 'an object without a list of contents' : described(result)}. Return { contents: [{ uri: '${uri}', text: '…' }] }, or undefined where there is no such resource.`,
    );
  for (const item of result['contents']) {
    const fault = resourceContentsFault(item);
    if (fault !== undefined)
      throw new ProtocolError('internal', `The resource ${uri} has contents that are not valid: ${fault}.`);
  }
  return hints === undefined ? result : { ...hints, ...result };
}
