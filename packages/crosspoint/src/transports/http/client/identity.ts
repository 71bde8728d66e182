/** A stable key for an endpoint. The query may hold secrets, so only its digest is included. */
export function endpointIdentity(url: URL): string {
  const { origin, pathname, search } = url;
  return `${origin}${pathname}${search === '' ? '' : `?${digest(search)}`}`;
}

/** FNV-1a. It tells two queries apart and does not reveal them; it is no protection against forgery. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16);
}
