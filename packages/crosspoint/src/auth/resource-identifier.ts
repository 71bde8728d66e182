/**
 * The canonical identifier of a server: its address without fragment, credentials, and the slash of an empty path. The query stays, since
 * it may tell servers apart.
 */
export function canonicalResource(serverUrl: URL | string): string {
  const url = new URL(serverUrl);
  url.hash = '';
  url.username = '';
  url.password = '';
  return url.pathname === '/' && url.search === '' ? url.origin : url.href;
}

/**
 * Whether a token for `resource` is valid for the server at `serverUrl`: same origin, and the server's path equals the resource's or lies
 * below it. A resource with a query names only that server.
 */
export function resourceCovers(resource: URL | string, serverUrl: URL | string): boolean {
  if (!URL.canParse(String(resource))) return false;
  const [wide, narrow] = [new URL(resource), new URL(serverUrl)];
  if (wide.origin !== narrow.origin || wide.hash !== '') return false;
  if (wide.search !== '' && wide.search !== narrow.search) return false;
  const folder = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
  return folder(narrow.pathname).startsWith(folder(wide.pathname));
}

/** The distinct scopes of a scope string, in order. */
export function scopeList(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(/\s+/).filter((word) => word !== ''))];
}

/** The union of several scope strings; `undefined` when it is empty. */
export function scopeUnion(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = scopeList(scopes.join(' '));
  return all.length === 0 ? undefined : all.join(' ');
}

/** Whether `held` contains every scope of `wanted`. */
export function scopeCovers(held: string | undefined, wanted: string | undefined): boolean {
  const have = new Set(scopeList(held));
  return scopeList(wanted).every((scope) => have.has(scope));
}

/** Whether a token for the configured resource is valid for the requested one. */
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
