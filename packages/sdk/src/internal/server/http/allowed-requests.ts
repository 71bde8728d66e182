import type { StreamableHTTPServerTransportOptions } from 'crosspoint/server';

/** Which hosts and origins a program lets in. */
export type AllowedOptions = Pick<
  StreamableHTTPServerTransportOptions,
  'enableDnsRebindingProtection' | 'allowedHosts' | 'allowedOrigins'
>;

/** Why a request is refused for its `Host` or `Origin`, which are compared with the lists as they are written. */
export function hostFault(
  { host, origin }: { host: string | undefined; origin: string | undefined },
  { enableDnsRebindingProtection, allowedHosts = [], allowedOrigins = [] }: AllowedOptions,
): string | undefined {
  if (enableDnsRebindingProtection !== true) return undefined;
  if (allowedHosts.length > 0 && !(host && allowedHosts.includes(host))) return `Invalid Host header: ${host}`;
  if (allowedOrigins.length > 0 && origin && !allowedOrigins.includes(origin))
    return `Invalid Origin header: ${origin}`;
  return undefined;
}
