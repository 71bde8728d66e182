import { InvalidTargetError } from '../../../server/auth/errors.ts';

/** Whether two addresses name the same resource: fragment and one trailing slash aside. */
export function isSameResource(one: string | URL | undefined, other: string | URL): boolean {
  if (one === undefined || !URL.canParse(String(one))) return false;
  return comparable(one) === comparable(other);
}

function comparable(resource: string | URL): string {
  const url = new URL(resource);
  url.hash = '';
  return url.href.replace(/\/$/, '');
}

/** The resource that a token is asked for. Throws `invalid_target` when tokens are for one server alone and it is another. */
export function readResource(resource: string | undefined, only: string | URL | undefined): URL | undefined {
  if (resource === undefined) return undefined;
  // A resource has no fragment: RFC 8707, section 2.
  if (only !== undefined && (resource.includes('#') || !isSameResource(resource, only)))
    throw new InvalidTargetError('This server issues no tokens for this resource');
  return new URL(resource);
}
