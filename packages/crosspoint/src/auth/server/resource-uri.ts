/**
 * The form in which a protected resource is named (RFC 8707): scheme and host in lower case, no fragment, no slash at the end unless a path
 * gives it meaning. Throws for what cannot name one.
 */
export function canonicalResource(uri: string | URL): string {
  const text = String(uri);
  if (!URL.canParse(text)) throw new TypeError(`A resource is named by an absolute URI; this is "${text}".`);
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`A resource is named by an http or https URI: "${text}".`);
  if (url.hash !== '' || text.includes('#')) throw new TypeError(`The URI of a resource has no fragment: "${text}".`);
  if (url.username !== '' || url.password !== '') throw new TypeError('The URI of a resource holds no credentials.');
  return url.pathname === '/' && url.search === '' ? url.href.slice(0, -1) : url.href;
}

/** Whether two names mean the same resource. One slash at the end makes no difference, and neither does the case of scheme and host. */
export function isSameResource(one: string | URL, other: string | URL): boolean {
  try {
    return withoutSlash(canonicalResource(one)) === withoutSlash(canonicalResource(other));
  } catch {
    return false;
  }
}

function withoutSlash(uri: string): string {
  return uri.endsWith('/') ? uri.slice(0, -1) : uri;
}
