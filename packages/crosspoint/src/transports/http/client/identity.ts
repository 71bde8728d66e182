/** The same text for the same endpoint. What a query holds may be secret, so only a digest of it is part of this. */
export function endpointIdentity(url: URL): string {
  const { origin, pathname, search } = url;
  return `${origin}${pathname}${search === '' ? '' : `?${digest(search)}`}`;
}

/** FNV-1a: keeps two queries apart and cannot be turned back. It protects nothing else. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16);
}
