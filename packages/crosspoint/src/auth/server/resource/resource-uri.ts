import { canonicalResource } from '../../resource-identifier.ts';

/** The canonical name of a resource that this program protects (RFC 8707). Throws for an address that cannot name one. */
export function requireResource(uri: string | URL): string {
  const text = String(uri);
  if (!URL.canParse(text) || !/^https?:/i.test(text))
    throw new TypeError(`The address of a resource must be http or https: "${text}".`);
  if (text.includes('#')) throw new TypeError(`The address of a resource must have no fragment: "${text}".`);
  return canonicalResource(text);
}

/** Whether two names mean the same resource, ignoring a trailing slash and the case of scheme and host. */
export function isSameResource(one: string | URL, other: string | URL): boolean {
  if (!URL.canParse(String(one)) || !URL.canParse(String(other)) || String(one).includes('#')) return false;
  return withoutSlash(canonicalResource(one)) === withoutSlash(canonicalResource(other));
}

function withoutSlash(uri: string): string {
  return uri.endsWith('/') ? uri.slice(0, -1) : uri;
}
