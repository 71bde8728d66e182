import { printable } from './oauth-error.ts';

export interface ChallengeParams {
  readonly scheme: 'Bearer' | 'DPoP';
  readonly error?: string | undefined;
  readonly errorDescription?: string | undefined;
  readonly scope?: readonly string[] | undefined;
  readonly resourceMetadata?: string | undefined;
  /** The signature algorithms that proofs may have. */
  readonly algs?: readonly string[] | undefined;
}

/** One challenge for `WWW-Authenticate`, in the order in which people read it. */
export function writeChallenge(params: ChallengeParams): string {
  const { scheme, error, errorDescription, scope, resourceMetadata, algs } = params;
  const parts = [
    ['error', error],
    ['error_description', errorDescription],
    ['resource_metadata', resourceMetadata],
    ['scope', scope === undefined || scope.length === 0 ? undefined : scope.join(' ')],
    ['algs', algs?.join(' ')],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${printable(value)}"`]));
  return parts.length === 0 ? scheme : `${scheme} ${parts.join(', ')}`;
}
