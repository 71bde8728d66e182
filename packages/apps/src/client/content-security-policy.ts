import { isJsonObject } from 'crosspoint/internal';
import { isOrigin, type UiCsp, type UiPermissions } from '../extension/ui-resource.ts';

/**
 * The Content-Security-Policy for a document. Only declared origins are allowed; declared values that are no origin are dropped, so that
 * nothing else gets into the policy. Without a declaration, scripts and styles inside the document are allowed and connections are not.
 */
export function contentSecurityPolicy(csp?: UiCsp): string {
  const origins = (member: keyof UiCsp): string[] => {
    const declared: unknown = csp?.[member];
    return Array.isArray(declared) ? declared.filter(isOrigin) : [];
  };
  const resources = origins('resourceDomains');
  const directives: [name: string, ...sources: string[]][] = [
    ['default-src', "'none'"],
    ['script-src', "'self'", "'unsafe-inline'", ...resources],
    ['style-src', "'self'", "'unsafe-inline'", ...resources],
    ['img-src', "'self'", 'data:', ...resources],
    ['media-src', "'self'", 'data:', ...resources],
    ...(csp === undefined ? [] : [['font-src', "'self'", ...resources] satisfies [string, ...string[]]]),
    ['connect-src', ...orNone(origins('connectDomains'))],
    ['frame-src', ...orNone(origins('frameDomains'))],
    ['object-src', "'none'"],
    ['base-uri', ...(origins('baseUriDomains').length === 0 ? ["'self'"] : origins('baseUriDomains'))],
  ];
  return directives.map((directive) => directive.join(' ')).join('; ');
}

const orNone = (origins: string[]): string[] => (origins.length === 0 ? ["'none'"] : origins);

const FEATURES: readonly [keyof UiPermissions, string][] = [
  ['camera', 'camera'],
  ['microphone', 'microphone'],
  ['geolocation', 'geolocation'],
  ['clipboardWrite', 'clipboard-write'],
];

/** The `allow` attribute of the frame, for the permissions that a document asks for; a host may grant fewer. */
export function permissionsPolicy(permissions: UiPermissions = {}): string {
  return FEATURES.flatMap(([member, feature]) => (isJsonObject(permissions[member]) ? [feature] : [])).join('; ');
}
