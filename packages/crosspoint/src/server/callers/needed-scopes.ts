import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { atOnce } from '../../runtime/guard.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import type { Entry, Registry } from '../offering/registry.ts';

/** The scopes that the token of a call needs, as registered with the tool, prompt or resource. */
function neededScopes(registry: Registry, { method, params }: HandledRequest): readonly string[] {
  if (method === 'tools/call') return scopesOf(registry.tools.get(String(params['name'])), params);
  if (method === 'prompts/get') return scopesOf(registry.prompts.get(String(params['name'])), params);
  if (method !== 'resources/read' && method !== 'resources/subscribe') return [];
  const uri = String(params['uri']);
  const resource = registry.resources.get(uri);
  if (resource !== undefined) return scopesOf(resource, params);
  for (const entry of registry.templates.values())
    if (entry.template.uriTemplate.match(uri) !== null) return scopesOf(entry, params);
  return [];
}

/** The scopes of an entry. A function gets the arguments of a call, or the URI of a resource. */
function scopesOf(entry: Entry | undefined, params: JsonObject): readonly string[] {
  const scopes = entry?.scopes ?? [];
  if (typeof scopes !== 'function') return scopes;
  const { arguments: args, uri } = params;
  return atOnce(scopes(uri !== undefined ? { uri } : isJsonObject(args) ? args : {}), 'scopes');
}

/** The scopes of a whole body, which may be a batch: all that its requests need together. */
export function neededScopesOf(body: unknown, registry: Registry | undefined): readonly string[] {
  if (registry === undefined) return [];
  const scopes = new Set<string>();
  for (const message of Array.isArray(body) ? (body as unknown[]) : [body]) {
    if (!isJsonObject(message) || typeof message['method'] !== 'string') continue;
    const params = isJsonObject(message['params']) ? message['params'] : {};
    for (const scope of neededScopes(registry, { method: message['method'], params })) scopes.add(scope);
  }
  return [...scopes];
}

/**
 * Throws for a caller whose token lacks a scope. HTTP refuses such a call earlier, with a challenge; this check covers every other way in. A client over
 * stdio has no token, and needs none.
 */
export function refuseWithoutScopes(entry: Entry, ctx: ServerContext): void {
  if (entry.scopes === undefined) return;
  const scopes = scopesOf(entry, ctx.inbound.params);
  const { authInfo } = ctx;
  if (authInfo === undefined && ctx.requestInfo === undefined) return;
  // A string has an `includes` with another meaning.
  const granted: unknown = authInfo?.scopes;
  if (scopes.every((scope) => Array.isArray(granted) && granted.includes(scope))) return;
  throw new ProtocolError('invalid-request', `This needs a token with the scopes: ${scopes.join(' ')}.`, {
    requiredScopes: [...scopes],
  });
}
