import { errorMessage, isJsonObject, isLoopbackName } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { requireImportable, requireSignatureKeys } from './client-keys.ts';
import { ATTENDED_GRANTS, UNATTENDED_GRANTS } from '../issuing/grant-types.ts';
import { OAuthFault } from 'crosspoint/internal/auth-server';
import { CLIENT_AUTH_METHODS, type OAuthClient } from './oauth-client.ts';
import { redirectFault } from './redirect-uri.ts';

/** Longest client record as JSON: anybody can make the server store one. */
const MAX_CHARACTERS = 8192;
const MAX_REDIRECTS = 10;
const MAX_NAME = 100;
const MAX_URI = 2000;

/**
 * Reads client metadata, from a registration or a document. Everything is checked; unknown members are dropped. Throws
 * `invalid_redirect_uri` or `invalid_client_metadata`.
 */
export async function readClientMetadata(value: unknown): Promise<Omit<OAuthClient, 'client_id' | 'client_secret'>> {
  if (!isJsonObject(value)) throw bad('The metadata must be an object.');
  const type = readOneOf(value, 'application_type', ['native', 'web'] as const);
  const method = readOneOf(value, 'token_endpoint_auth_method', CLIENT_AUTH_METHODS) ?? 'none';
  const name = readText(value, 'client_name', MAX_NAME);
  const uri = readText(value, 'client_uri', MAX_URI);
  const scope = readText(value, 'scope', 2000);
  const read = {
    redirect_uris: readRedirects(value, type),
    grant_types: readGrantTypes(value),
    token_endpoint_auth_method: method,
    ...(name !== undefined && { client_name: name }),
    ...(uri !== undefined && /^https?:/.test(uri) && { client_uri: uri }),
    ...(scope !== undefined && { scope }),
    ...(type && { application_type: type }),
    ...(method === 'private_key_jwt' && (await readKeys(value))),
  };
  if (JSON.stringify(read).length > MAX_CHARACTERS)
    throw bad(`The metadata are longer than ${MAX_CHARACTERS} characters.`);
  return read;
}

function readRedirects(value: JsonObject, type: 'native' | 'web' | undefined): readonly string[] {
  const uris = value['redirect_uris'];
  if (!Array.isArray(uris) || uris.length === 0) throw badRedirect('redirect_uris must name at least one URI.');
  if (uris.length > MAX_REDIRECTS) throw badRedirect(`redirect_uris may name ${MAX_REDIRECTS} URIs at most.`);
  for (const uri of uris as unknown[]) {
    const fault = redirectFault(uri);
    if (fault !== undefined) throw badRedirect(`A redirect URI is refused: ${fault}.`);
    if (type === 'web' && isLoopbackName(new URL(String(uri)).hostname))
      throw badRedirect('A web application must not have a redirect URI on a loopback host: register it as native.');
  }
  return uris as string[];
}

function readGrantTypes(value: JsonObject): readonly string[] {
  const types = value['grant_types'];
  if (types === undefined) return ATTENDED_GRANTS;
  if (!Array.isArray(types)) throw bad('grant_types must be a list.');
  const unattended = UNATTENDED_GRANTS.find((type) => types.includes(type));
  if (unattended !== undefined) throw bad(`The grant ${unattended} is for clients that the operator has configured.`);
  // Other unsupported grants are dropped; the response tells the client.
  const known = ATTENDED_GRANTS.filter((type) => types.includes(type));
  if (!known.includes('authorization_code')) throw bad('grant_types must contain authorization_code.');
  return known;
}

async function readKeys(value: JsonObject): Promise<Partial<OAuthClient>> {
  const { jwks: given, jwks_uri: uri } = value;
  if ((given === undefined) === (uri === undefined)) throw bad('private_key_jwt needs either jwks or jwks_uri.');
  if (uri !== undefined) {
    if (typeof uri !== 'string' || uri.length > MAX_URI || !uri.startsWith('https:') || !URL.canParse(uri))
      throw bad('jwks_uri must be an https address.');
    return { jwks_uri: uri };
  }
  try {
    const jwks = requireSignatureKeys(given);
    await requireImportable(jwks);
    return { jwks };
  } catch (error) {
    throw bad(`The keys cannot be used: ${errorMessage(error)}.`);
  }
}

function readText(value: JsonObject, name: string, max: number): string | undefined {
  const text = value[name];
  if (text === undefined || text === null) return undefined;
  if (typeof text !== 'string' || text.length > max) throw bad(`${name} must be a text of at most ${max} characters.`);
  // Control characters in a name could forge pages and log lines.
  // oxlint-disable-next-line no-control-regex -- these are what is to be removed
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, '');
}

function readOneOf<T extends string>(value: JsonObject, name: string, allowed: readonly T[]): T | undefined {
  const text = value[name];
  if (text === undefined) return undefined;
  const found = allowed.find((entry) => entry === text);
  if (found === undefined) throw bad(`${name} must be one of ${allowed.join(', ')}.`);
  return found;
}

function bad(message: string): OAuthFault {
  return new OAuthFault('invalid_client_metadata', message);
}

function badRedirect(message: string): OAuthFault {
  return new OAuthFault('invalid_redirect_uri', message);
}
