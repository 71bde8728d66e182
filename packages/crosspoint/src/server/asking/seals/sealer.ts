import { secretRing, type Secret } from '../../../runtime/secret.ts';
import { ProtocolError } from '../../../protocol/errors.ts';
import { cryptography, type Cryptography } from './cryptography.ts';

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
  /** Keys by day. */
  readonly days: Map<number, object>;
}

/**
 * The first key seals, every key opens: put a new one in front, and drop the old one when everything sealed with it has expired. Each day has a key
 * derived from the secret, so that random nonces do not collide.
 */
export function createSealer(
  keys: readonly Secret[],
  now: () => number,
  crypto: Cryptography = cryptography(),
): Sealer {
  const ring = secretRing(keys, 'keys').map((secret): RingKey => {
    return { id: crypto.hash(secret).slice(0, 8), secret, days: new Map() };
  });
  const dayKey = (key: RingKey, day: number): object => {
    const known = key.days.get(day);
    if (known) return known;
    // A peer can name days, but only near today: see `open`.
    if (key.days.size > 64) key.days.clear();
    const made = crypto.deriveKey(key.secret, `crosspoint request state ${day}`);
    key.days.set(day, made);
    return made;
  };
  const [first] = ring as [RingKey];
  return {
    seal(value, bound) {
      const day = Math.floor(now() / DAY_MS);
      const sealed = crypto.encrypt(dayKey(first, day), JSON.stringify(value), boundTo(first.id, day, bound));
      const write = (text: string): string => `${VERSION}.${first.id}.${day.toString(36)}.${text}`;
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
        const opened = crypto.decrypt(dayKey(key, number), text, boundTo(key.id, number, bound));
        return opened instanceof Promise ? opened.then(read).catch(() => Promise.reject(stateRefused())) : read(opened);
      } catch {
        throw stateRefused();
      }
    },
  };
}

function boundTo(id: string, day: number, bound: string): string {
  return `${VERSION}\n${id}\n${day}\n${bound}`;
}

function read(text: string): unknown {
  return JSON.parse(text) as unknown;
}

export function stateRefused(why = 'it was altered, is not ours, or belongs to another call'): ProtocolError {
  return new ProtocolError('state-refused', `The requestState is refused: ${why}. Call again from the start.`);
}
