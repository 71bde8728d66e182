import { isJsonObject } from '../jsonrpc/message.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { ServerContext } from './context.ts';
import type { HandledRequest } from './handler.ts';
import type { Entry, Registry } from './registry.ts';

/** The scopes that the token of a call needs, as the author of what is called has said. */
export function neededScopes(registry: Registry, { method, params }: HandledRequest): readonly string[] {
  if (method === 'tools/call') return registry.tools.get(String(params['name']))?.scopes ?? [];
  if (method === 'prompts/get') return registry.prompts.get(String(params['name']))?.scopes ?? [];
  if (method !== 'resources/read' && method !== 'resources/subscribe') return [];
  const uri = String(params['uri']);
  const resource = registry.resources.get(uri);
  if (resource !== undefined) return resource.scopes ?? [];
  for (const entry of registry.templates.values())
    if (entry.template.uriTemplate.match(uri) !== null) return entry.scopes ?? [];
  return [];
}

/** The same of a whole body, which may be a batch: everything that its requests need together. */
export function neededScopesOf(body: unknown, of: (call: HandledRequest) => readonly string[]): readonly string[] {
  const scopes = new Set<string>();
  for (const message of Array.isArray(body) ? (body as unknown[]) : [body]) {
    if (!isJsonObject(message) || typeof message['method'] !== 'string') continue;
    const params = isJsonObject(message['params']) ? message['params'] : {};
    for (const scope of of({ method: message['method'], params })) scopes.add(scope);
  }
  return [...scopes];
}

/**
 * Throws for a caller whose token does not reach so far. HTTP is refused before it comes to this, with a challenge; this holds wherever a call
 * comes from. A client on the same machine that speaks over stdio has no token, and needs none.
 */
export function refuseWithoutScopes({ scopes }: Entry, ctx: ServerContext): void {
  if (scopes === undefined || scopes.length === 0) return;
  const { authInfo } = ctx;
  if (authInfo === undefined && ctx.requestInfo === undefined) return;
  if (scopes.every((scope) => authInfo?.scopes.includes(scope))) return;
  throw new ProtocolError('invalid-request', `This needs a token with the scopes: ${scopes.join(' ')}.`, {
    requiredScopes: [...scopes],
  });
}
