import { createHash } from 'node:crypto';
import {
  InvalidTokenError,
  introspectionVerifier,
  requireBearerAuth,
  type AuthInfo,
  type BearerAuth,
} from 'crosspoint/auth/server';
import type { FaceAuthentication } from './bridge-command.ts';
import { ProgramError } from './program-error.ts';
import type { SourceReader } from './source-reader.ts';

const SHORTEST_TOKEN = 32;

/** The gate before the endpoint. */
export function faceAuth(
  authentication: FaceAuthentication,
  sources: SourceReader,
  onproblem: (problem: Error) => void,
): BearerAuth {
  if (authentication.kind === 'tokens')
    return requireBearerAuth({ verifier: tokenVerifier(readTokens(authentication.path, sources)), onproblem });
  const { issuer, audience, scopes } = authentication;
  const common = { audience, scopes, onproblem };
  if (authentication.kind === 'issuer') return requireBearerAuth({ issuer, ...common });
  const { endpoint, client: clientId, secret } = authentication;
  const clientSecret = sources.read('--introspection-secret', secret);
  const verifier = introspectionVerifier({ endpoint, clientId, clientSecret, audience });
  return requireBearerAuth({ verifier, authorizationServers: [issuer], ...common });
}

/** Names by the digests of their tokens: a comparison of digests tells nothing of a token by the time it takes. */
export function readTokens(path: string, sources: SourceReader): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { text, number } of sources.lines('--token-file', path)) {
    const where = `--token-file: line ${number} of "${path}"`;
    const [, name, token] = /^([\w.@-]{1,64})\s+([\x21-\x7e]+)$/.exec(text) ?? [];
    if (name === undefined || token === undefined)
      throw new ProgramError(`${where} is not "NAME TOKEN": a name of letters, digits and . @ - _, and a token.`);
    if (token.length < SHORTEST_TOKEN)
      throw new ProgramError(
        `${where}: the token of ${name} has ${token.length} characters, and needs ${SHORTEST_TOKEN}. "openssl rand -base64 32" makes one.`,
      );
    if (names.has(digestOf(token))) throw new ProgramError(`${where} has a token that an earlier line has as well.`);
    sources.hide(token);
    names.set(digestOf(token), name);
  }
  if (names.size === 0) throw new ProgramError(`--token-file: "${path}" has no line "NAME TOKEN".`);
  return names;
}

const tokenVerifier =
  (names: ReadonlyMap<string, string>) =>
  async (token: string): Promise<AuthInfo> => {
    const name = names.get(digestOf(token));
    if (name === undefined) throw new InvalidTokenError('The token is unknown.');
    return { token, clientId: name, scopes: [], extra: { sub: name } };
  };

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64');
