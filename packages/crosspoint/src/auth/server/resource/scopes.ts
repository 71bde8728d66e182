/** A scope as OAuth allows it: visible ASCII without quotes and backslashes. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** The distinct scopes of a `scope` parameter; `undefined` when it contains a forbidden character. */
export function readScopes(text: string | undefined | null): string[] | undefined {
  const scopes = (text ?? '').split(' ').filter((scope) => scope !== '');
  return scopes.every((scope) => SCOPE.test(scope)) ? [...new Set(scopes)] : undefined;
}

export function requireScopes(scopes: readonly string[], of: string): readonly string[] {
  for (const scope of scopes)
    if (!SCOPE.test(scope))
      throw new TypeError(
        `The scope "${scope}" of ${of} is malformed: a scope is of visible ASCII characters other than spaces, quotes and backslashes.`,
      );
  return [...new Set(scopes)];
}

/** Broader scopes, with the narrower ones that each includes, such as `{ admin: ['read', 'write'] }`. */
export type ScopeHierarchy = Readonly<Record<string, readonly string[]>>;

/** The granted scopes with everything they include, at any depth. */
export function reachOf(granted: readonly string[], hierarchy: ScopeHierarchy = {}): ReadonlySet<string> {
  const reach = new Set<string>();
  // A string would be iterated by letters.
  const waiting = Array.isArray(granted) ? [...(granted as readonly string[])] : [];
  for (let scope = waiting.pop(); scope !== undefined; scope = waiting.pop()) {
    if (reach.has(scope)) continue;
    reach.add(scope);
    if (Object.hasOwn(hierarchy, scope)) waiting.push(...(hierarchy[scope] ?? []));
  }
  return reach;
}

export function coversScopes(
  granted: readonly string[],
  needed: readonly string[],
  hierarchy: ScopeHierarchy = {},
): boolean {
  if (needed.length === 0) return true;
  const reach = reachOf(granted, hierarchy);
  return needed.every((scope) => reach.has(scope));
}

/** For `visible` of a tool, prompt or resource: visible and usable only with a token that has all of these scopes. */
export function hasScopes(...needed: string[]): (caller: { authInfo: { scopes: string[] } | undefined }) => boolean {
  return ({ authInfo }) => authInfo !== undefined && coversScopes(authInfo.scopes, needed);
}
