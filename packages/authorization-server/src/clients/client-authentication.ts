import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import type { HttpRequest } from 'crosspoint/server';
import type { FetchLike } from 'crosspoint/auth';
import type { Authority } from '../issuing/authority.ts';
import { requireSignatureKeys } from './client-keys.ts';
import { isSameSecret, OAuthFault, SIGNATURE_ALGORITHMS } from 'crosspoint/internal/auth-server';
import { isPublic, type KnownClient } from './oauth-client.ts';
import { sha256Base64Url } from 'crosspoint/internal';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

interface PresentedCredentials {
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  readonly clientId: string;
  readonly secret: string;
}

/** Authenticates the client that sent a form, by the method it registered with. Rejects with `invalid_client`. */
export async function authenticateClient(
  request: HttpRequest,
  form: URLSearchParams,
  authority: Authority,
): Promise<KnownClient> {
  const shown = readCredentials(request, form);
  const client = await authority.clients.find(shown.clientId);
  const wanted = client.token_endpoint_auth_method ?? 'none';
  const isSecret = shown.method.startsWith('client_secret_') && wanted.startsWith('client_secret_');
  if (shown.method !== wanted && !isSecret)
    throw refused(`The client must authenticate with ${wanted}, as it registered.`);
  if (isPublic(client)) return client;
  if (wanted === 'private_key_jwt') await checkAssertion(shown.secret, client, authority);
  else await checkSecret(shown.secret, client, authority.now());
  return client;
}

function readCredentials(request: HttpRequest, form: URLSearchParams): PresentedCredentials {
  const header = request.header('authorization');
  const named = form.get('client_id') ?? undefined;
  const isAssertion = form.has('client_assertion');
  const ways = [header !== undefined, form.has('client_secret'), isAssertion].filter(Boolean).length;
  if (ways > 1) throw new OAuthFault('invalid_request', 'The client authenticates in more than one way: send one.');
  if (header !== undefined) {
    const shown = readBasic(header);
    if (named !== undefined && named !== shown.clientId)
      throw refused('The request names two clients: client_id differs from that of the Authorization header.');
    return shown;
  }
  if (isAssertion) {
    if (form.get('client_assertion_type') !== ASSERTION_TYPE)
      throw refused(`The client_assertion_type must be ${ASSERTION_TYPE}.`);
    const assertion = form.get('client_assertion') ?? '';
    return { method: 'private_key_jwt', clientId: named ?? subjectOf(assertion), secret: assertion };
  }
  if (named === undefined) throw refused('The request names no client: client_id is missing.');
  const secret = form.get('client_secret');
  return secret === null
    ? { method: 'none', clientId: named, secret: '' }
    : { method: 'client_secret_post', clientId: named, secret };
}

function readBasic(header: string): PresentedCredentials {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header) ?? [];
  try {
    const text = atob(encoded ?? '');
    const colon = text.indexOf(':');
    if (colon === -1) throw new TypeError('no colon');
    const decode = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));
    return {
      method: 'client_secret_basic',
      clientId: decode(text.slice(0, colon)),
      secret: decode(text.slice(colon + 1)),
    };
  } catch {
    throw refused('The Authorization header is malformed: send Basic, with client_id and client_secret encoded.');
  }
}

async function checkSecret(secret: string, client: KnownClient, now: number): Promise<void> {
  const expires = client.client_secret_expires_at ?? 0;
  if (expires !== 0 && expires * 1000 <= now) throw refused('The secret of the client has expired: register again.');
  if (client.secretDigest === undefined || !(await isSameSecret(await sha256Base64Url(secret), client.secretDigest)))
    throw refused('The secret of the client is wrong.');
}

async function checkAssertion(assertion: string, client: KnownClient, authority: Authority): Promise<void> {
  const { exp = 0, jti } = (await verifyAssertion(assertion, client, authority)) as { exp?: number; jti?: unknown };
  if (typeof jti !== 'string' || jti === '' || jti.length > 200) throw refused('The assertion has no id (jti).');
  const remaining = exp * 1000 - authority.now();
  if (remaining > 3_540_000) throw refused('The assertion expires too late (exp): at most 59 minutes from now.');
  const key = `oauth:assertion:${await sha256Base64Url(`${client.client_id} ${jti}`)}`;
  const ttlMs = Math.max(remaining + 60_000, 60_000);
  if ((await authority.store.put(key, 1, { ifVersion: null, ttlMs })) === undefined)
    throw refused('The assertion was used before (jti): make a new one for each request.');
}

/** Rejects with `invalid_client` for every failure, since the client chose both the assertion and the keys. */
async function verifyAssertion(assertion: string, client: KnownClient, authority: Authority): Promise<JWTPayload> {
  const keys = await keysOf(client, authority);
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(keys), {
      issuer: client.client_id,
      subject: client.client_id,
      audience: [authority.issuer, `${authority.base}/token`],
      algorithms: [...SIGNATURE_ALGORITHMS],
      requiredClaims: ['exp', 'jti'],
      clockTolerance: 30,
      currentDate: new Date(authority.now()),
    });
    return payload;
  } catch (error) {
    throw refused('The assertion of the client has expired, or its signature, iss, sub or aud is wrong.', error);
  }
}

async function keysOf({ jwks, jwks_uri: uri }: KnownClient, { outbound }: Authority): Promise<JSONWebKeySet> {
  if (jwks === undefined && uri === undefined) throw refused('The client has no keys: register jwks or jwks_uri.');
  try {
    return requireSignatureKeys(jwks ?? (await loadKeys(uri ?? '', outbound)));
  } catch (error) {
    const reason = error instanceof TypeError ? error.message : 'they could not be loaded';
    throw refused(`The keys of the client cannot be used: ${reason}.`, error);
  }
}

async function loadKeys(uri: string, outbound: FetchLike): Promise<unknown> {
  try {
    const response = await outbound(uri, { headers: { accept: 'application/json' } });
    return response.status === 200 ? (JSON.parse(await response.text()) as unknown) : undefined;
  } catch (error) {
    throw new Error(`The keys could not be loaded from ${uri}.`, { cause: error });
  }
}

function subjectOf(assertion: string): string {
  let subject: unknown;
  try {
    subject = decodeJwt(assertion).sub;
  } catch {
    throw refused('The client_assertion is not a JWT.');
  }
  if (typeof subject !== 'string') throw refused('The assertion names no client (sub).');
  return subject;
}

function refused(message: string, cause?: unknown): OAuthFault {
  return new OAuthFault('invalid_client', message, { cause });
}
