const PRM = '/.well-known/oauth-protected-resource';
const OAUTH = '/.well-known/oauth-authorization-server';
const OIDC = '/.well-known/openid-configuration';

/** Candidate addresses of protected-resource metadata, in order: with the path of the resource, then at the root. */
export function protectedResourceMetadataUrls(resource: URL | string): URL[] {
  const { origin, pathname, search } = new URL(resource);
  const path = pathname.replace(/\/$/, '');
  const root = new URL(PRM, origin);
  return path === '' ? [root] : [new URL(`${PRM}${path}${search}`, origin), root];
}

export interface MetadataLocation {
  readonly url: URL;
  readonly type: 'oauth' | 'oidc';
}

/** Candidate addresses of authorization-server metadata, in order. */
export function authorizationServerMetadataUrls(issuer: URL | string): MetadataLocation[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  if (path === '')
    return [
      { url: new URL(OAUTH, origin), type: 'oauth' },
      { url: new URL(OIDC, origin), type: 'oidc' },
    ];
  return [
    { url: new URL(`${OAUTH}${path}`, origin), type: 'oauth' },
    { url: new URL(`${OIDC}${path}`, origin), type: 'oidc' },
    { url: new URL(`${path}${OIDC}`, origin), type: 'oidc' },
  ];
}
