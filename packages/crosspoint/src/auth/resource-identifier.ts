/**
 * The canonical identifier of a server: its address without fragment and without a slash that only ends an empty path. The query stays,
 * since it may tell servers of one path apart.
 */
export function canonicalResource(serverUrl: URL | string): string {
  const url = new URL(serverUrl);
  url.hash = '';
  url.username = '';
  url.password = '';
  return url.pathname === '/' && url.search === '' ? url.origin : url.href;
}

/**
 * Whether a token for `resource` is meant for the server at `serverUrl`: the same origin, and the server's path is the resource's or lies
 * below it. A resource with a query names that server alone.
 */
export function resourceCovers(resource: URL | string, serverUrl: URL | string): boolean {
  if (!URL.canParse(String(resource))) return false;
  const [wide, narrow] = [new URL(resource), new URL(serverUrl)];
  if (wide.origin !== narrow.origin || wide.hash !== '') return false;
  if (wide.search !== '' && wide.search !== narrow.search) return false;
  const folder = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
  return folder(narrow.pathname).startsWith(folder(wide.pathname));
}

/** The scopes of a scope string, each once, in order. */
export function scopeList(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(/\s+/).filter((word) => word !== ''))];
}

/** All the scopes of several scope strings; `undefined` when there are none. */
export function scopeUnion(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = scopeList(scopes.join(' '));
  return all.length === 0 ? undefined : all.join(' ');
}

/** Whether every scope of `wanted` is in `held`. */
export function scopeCovers(held: string | undefined, wanted: string | undefined): boolean {
  const have = new Set(scopeList(held));
  return scopeList(wanted).every((scope) => have.has(scope));
}

/** Whether a token for what is configured is good for what is requested. */
export function checkResourceAllowed(resources: {
  requestedResource: URL | string;
  configuredResource: URL | string;
}): boolean {
  return resourceCovers(resources.configuredResource, resources.requestedResource);
}

/** The address of a server as a resource: without fragment. */
export function resourceUrlFromServerUrl(url: URL | string): URL {
  const resource = new URL(url);
  resource.hash = '';
  return resource;
}
