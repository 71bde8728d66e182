import { isJsonObject } from '../../jsonrpc/message.ts';
import { isOrigin, type UiCsp, type UiPermissions } from '../../extensions/apps/ui-resource.ts';

/**
 * The policy that a document is shown under. Nothing is allowed that was not declared; what was declared and is no origin is left out, so that nothing else can
 * get into the policy. Without a declaration it is the restrictive one: scripts and styles inside the document, and no connections.
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

/** The `allow` attribute of the frame for what a document would like to use; a host may grant less. */
export function permissionsPolicy(permissions: UiPermissions = {}): string {
  return FEATURES.flatMap(([member, feature]) => (isJsonObject(permissions[member]) ? [feature] : [])).join('; ');
}
