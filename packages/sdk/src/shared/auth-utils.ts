/** `shared/auth-utils.js` of v1: resource indicators of RFC 8707. */

/** The address of a server as a resource indicator: without a fragment. */
export function resourceUrlFromServerUrl(url: URL | string): URL {
  const resource = new URL(url);
  resource.hash = '';
  return resource;
}

const folder = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

/** Whether the requested resource is the configured one or lies below it: same origin, and its path begins with the other's. */
export function checkResourceAllowed({
  requestedResource,
  configuredResource,
}: {
  requestedResource: URL | string;
  configuredResource: URL | string;
}): boolean {
  const [requested, configured] = [new URL(requestedResource), new URL(configuredResource)];
  return (
    requested.origin === configured.origin &&
    requested.pathname.length >= configured.pathname.length &&
    folder(requested.pathname).startsWith(folder(configured.pathname))
  );
}
