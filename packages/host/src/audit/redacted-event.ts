import { redact } from 'crosspoint/middleware';
import { digestOf } from '../values/digest.ts';
import { atOnce } from '../values/guard.ts';
import { isObject, type Json, type JsonObject } from '../values/json.ts';
import type { AuditEvent } from './event.ts';

export interface RedactionOptions {
  /** Texts that are masked wherever they occur: the secrets that the host knows. Those of less than 4 characters are not looked for. */
  readonly knownSecrets?: () => Iterable<string>;
  /** Characters of JSON that the details of an event may have. */
  readonly maxDetails: number;
}

const MASK = '[redacted]';
const CUT = '[cut]';
const LEAST_SECRET = 4;
const MAX_NAME = 256;

/** The event as it may be written: credentials masked, bounded in size, and plain JSON that no later change of the original reaches. */
export function redactedEvent(event: AuditEvent, { knownSecrets, maxDetails }: RedactionOptions): AuditEvent {
  const secrets = [...atOnce(knownSecrets?.() ?? [])].filter((secret) => secret.length >= LEAST_SECRET);
  // The longest first: one secret may be a part of another.
  secrets.sort((a, b) => b.length - a.length);
  const plain = JSON.parse(JSON.stringify(redact(event.details) ?? {})) as Json;
  const details = masked(plain, secrets);
  const { type, server, call } = event;
  return {
    type: type.slice(0, MAX_NAME),
    ...(server !== undefined && { server: server.slice(0, MAX_NAME) }),
    ...(call !== undefined && { call: call.slice(0, MAX_NAME) }),
    details: fitted(isObject(details) ? details : { value: details }, maxDetails),
  };
}

/** Masks known secrets in texts and names of members. The value is already bounded in depth. */
function masked(value: Json, secrets: readonly string[]): Json {
  if (secrets.length === 0) return value;
  if (typeof value === 'string') return secrets.reduce((text, secret) => text.replaceAll(secret, MASK), value);
  if (typeof value === 'number') return secrets.includes(String(value)) ? MASK : value;
  if (Array.isArray(value)) return value.map((item: Json) => masked(item, secrets));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [
    masked(key, secrets),
    member === undefined ? member : masked(member, secrets),
  ]);
  return Object.fromEntries(members) as JsonObject;
}

/** Limits of a text and of the number of items, tried in turn until the details fit. */
const SHORTER: readonly (readonly [text: number, items: number])[] = [
  [2048, 200],
  [512, 50],
  [128, 30],
];

/** Details that fit; the digest of the whole says which they were. It is made after secrets are masked: a digest of a short secret can be guessed. */
function fitted(details: JsonObject, most: number): JsonObject {
  const size = JSON.stringify(details).length;
  if (size <= most) return details;
  const cut = { characters: size, digest: digestOf(details) };
  for (const [text, items] of SHORTER) {
    const shorter = shortened(details, text, items);
    if (isObject(shorter) && JSON.stringify(shorter).length + JSON.stringify(cut).length < most)
      return { ...shorter, cut };
  }
  return { cut };
}

function shortened(value: Json, text: number, items: number): Json {
  if (typeof value === 'string') return value.length > text ? value.slice(0, text) + CUT : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value) as [string, Json][];
  if (members.length > items || members.some(([key]) => key.length > text)) return CUT;
  if (Array.isArray(value)) return value.map((item: Json) => shortened(item, text, items));
  return Object.fromEntries(members.map(([key, member]) => [key, shortened(member, text, items)]));
}
