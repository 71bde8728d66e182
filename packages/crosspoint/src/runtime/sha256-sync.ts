/**
 * SHA-256, HMAC and HKDF (FIPS 180-4, RFC 2104, RFC 5869) without an `await`, for runtimes without `node:crypto`. Web Crypto only has them with one.
 * Their time depends on the length of what they are given and on nothing else.
 */

const BLOCK = 64;

interface Constants {
  readonly initial: readonly number[];
  readonly round: readonly number[];
}

let known: Constants | undefined;

/** The first 32 bits of the fractional parts of the roots of the first primes: square roots of 8 to begin with, cube roots of 64 for the rounds. */
function constants(): Constants {
  if (known) return known;
  const primes: number[] = [];
  for (let candidate = 2; primes.length < 64; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
  return (known = {
    initial: primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
    round: primes.map((prime) => fraction(Math.cbrt(prime))),
  });
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The state after one more block of 16 words; `schedule` holds these in its first 16 places. */
function compress(state: Int32Array, schedule: Int32Array, round: readonly number[]): void {
  for (let at = 16; at < 64; at += 1) {
    const [near, far] = [schedule[at - 2] ?? 0, schedule[at - 15] ?? 0];
    const mixed = (rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)) + (schedule[at - 7] ?? 0);
    schedule[at] = mixed + (rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)) + (schedule[at - 16] ?? 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at += 1) {
    const choice = (e & f) ^ (~e & g);
    const first =
      (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (round[at] ?? 0) + (schedule[at] ?? 0)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + word;
}

export function sha256Sync(data: Uint8Array): Uint8Array {
  const { initial, round } = constants();
  // One bit, zeros, and the length in bits, which takes the last 8 bytes of a block.
  const padded = new Uint8Array(Math.ceil((data.length + 9) / BLOCK) * BLOCK);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(data.length / 2 ** 29));
  view.setUint32(padded.length - 4, data.length << 3);
  const state = Int32Array.from(initial);
  const schedule = new Int32Array(64);
  for (let block = 0; block < padded.length; block += BLOCK) {
    for (let at = 0; at < 16; at += 1) schedule[at] = view.getInt32(block + at * 4);
    compress(state, schedule, round);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [at, word] of state.entries()) digest.setInt32(at * 4, word);
  return new Uint8Array(digest.buffer);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function hmac(key: Uint8Array, data: Uint8Array): Uint8Array {
  const short = key.length > BLOCK ? sha256Sync(key) : key;
  const pad = (mask: number): Uint8Array => Uint8Array.from({ length: BLOCK }, (_, at) => (short[at] ?? 0) ^ mask);
  return sha256Sync(joined(pad(0x5c), sha256Sync(joined(pad(0x36), data))));
}

/** A key of 32 bytes, derived from a secret for one purpose: HKDF with SHA-256 and without a salt. */
export function deriveKeySync(secret: Uint8Array, purpose: Uint8Array): Uint8Array {
  return hmac(hmac(new Uint8Array(32), secret), joined(purpose, Uint8Array.of(1)));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
