import { deriveKeySync, sha256Sync, toHex } from '../../../runtime/sha256-sync.ts';
import { secretRing, type Secret } from '../../../runtime/secret.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import { findCipher, type Cipher } from './cipher.ts';
import { fromBase64Url, toBase64Url } from '../../../runtime/base64url.ts';

/** Seals the state that clients carry: it cannot be read, changed, or used for another call. */
export interface Sealer {
  seal(value: unknown, bound: string): string | Promise<string>;
  /** Throws or rejects with `state-refused` for a token that these keys have not sealed for exactly this `bound`. */
  open(token: string, bound: string): unknown;
}

const VERSION = 'c1';
const DAY_MS = 86_400_000;
const MAX_TOKEN = 2 * 1024 * 1024;

interface RingKey {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly days: Map<number, Uint8Array>;
}

/**
 * The first key seals, every key opens: put a new one in front, and drop the old one when everything sealed with it has expired. Each day has a key
 * derived from the secret, so that random nonces do not collide.
 */
export function createSealer(keys: readonly Secret[], now: () => number, cipher: Cipher = findCipher()): Sealer {
  const ring = secretRing(keys, 'keys').map(ringKey);
  const [first] = ring as [RingKey];
  return {
    seal(value, bound) {
      const day = Math.floor(now() / DAY_MS);
      const sealed = cipher.encrypt(
        dayKey(first, day),
        ENCODER.encode(JSON.stringify(value)),
        boundBytes(first.id, day, bound),
      );
      const write = (bytes: Uint8Array): string => `${VERSION}.${first.id}.${day.toString(36)}.${toBase64Url(bytes)}`;
      return sealed instanceof Promise ? sealed.then(write) : write(sealed);
    },
    open(token, bound) {
      const [version, id, day, text, ...rest] = token.length > MAX_TOKEN ? [] : token.split('.');
      if (version !== VERSION || day === undefined || text === undefined || rest.length > 0) throw stateRefused();
      const key = ring.find((candidate) => candidate.id === id);
      if (key === undefined)
        throw stateRefused(
          'it was sealed with a key that this server does not have, by another process or before a restart (see asking.keys)',
        );
      const number = Number.parseInt(day, 36);
      if (!Number.isSafeInteger(number) || number.toString(36) !== day || Math.abs(number - now() / DAY_MS) > 400)
        throw stateRefused();
      try {
        const opened = cipher.decrypt(dayKey(key, number), fromBase64Url(text), boundBytes(key.id, number, bound));
        return opened instanceof Promise ? opened.then(read, () => Promise.reject(stateRefused())) : read(opened);
      } catch {
        throw stateRefused();
      }
    },
  };
}

function ringKey(secret: Uint8Array): RingKey {
  return { id: toHex(sha256Sync(secret)).slice(0, 8), secret, days: new Map() };
}

function dayKey(key: RingKey, day: number): Uint8Array {
  const known = key.days.get(day);
  if (known) return known;
  // A peer can name days, but only near today: see `open`.
  if (key.days.size > 64) key.days.clear();
  const made = deriveKeySync(key.secret, ENCODER.encode(`crosspoint request state ${day}`));
  key.days.set(day, made);
  return made;
}

function boundBytes(id: string, day: number, bound: string): Uint8Array {
  return ENCODER.encode(`${VERSION}\n${id}\n${day}\n${bound}`);
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { fatal: true });

function read(bytes: Uint8Array): unknown {
  return JSON.parse(DECODER.decode(bytes)) as unknown;
}

export function stateRefused(why = 'it was altered, is not ours, or belongs to another call'): ProtocolError {
  return new ProtocolError('state-refused', `The requestState is refused: ${why}. Call again from the start.`);
}
