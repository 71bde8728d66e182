/** Keys of Redis that share a hash slot: a script may change them together. */
export interface RedisSlot {
  readonly prefix: string;
  /** The keys of its index: by name, and by expiry. */
  readonly index: readonly string[];
  /** The scripts whose text its Redis has been sent. */
  readonly known: Set<string>;
}

/** Hash slots of a Redis Cluster. */
const MAX_SLOTS = 16_384;
const KIND = /^[a-z]*$/;

/**
 * The slots that the keys of a store are spread over. Keys of one session, task or caller share a slot: `task:r:7f-1` and `task:s:7f-1:pay` both belong
 * to `7f-1`, the first part that is more than lower-case letters.
 */
export class RedisSlots {
  readonly all: readonly [RedisSlot, ...RedisSlot[]];

  constructor(prefix: string, count: number) {
    if (!(Number.isInteger(count) && count >= 1 && count <= MAX_SLOTS))
      throw new RangeError(`slots: ${count} is not a whole number from 1 to ${MAX_SLOTS}.`);
    const [first = prefix, ...rest] = count === 1 ? [] : evenPrefixes(prefix, count);
    this.all = [slot(first), ...rest.map(slot)];
  }

  /** The slot of a record, log or channel. */
  of(key: string): RedisSlot {
    const [first] = this.all;
    if (this.all.length === 1) return first;
    const [owner = ''] = key.slice(startOfOwner(key)).split(':', 1);
    return this.all[crc16(owner) % this.all.length] ?? first;
  }

  /** The slots of all keys that begin with `prefix`: one if it names their session, task or caller to the end. */
  ofPrefix(prefix: string): readonly RedisSlot[] {
    return prefix.includes(':', startOfOwner(prefix)) ? [this.of(prefix)] : this.all;
  }
}

function slot(prefix: string): RedisSlot {
  return { prefix, index: [`${prefix}names`, `${prefix}ends`], known: new Set() };
}

/** Where the first part begins that is more than lower-case letters, or the last. */
function startOfOwner(key: string): number {
  for (let start = 0; ;) {
    const end = key.indexOf(':', start);
    if (end === -1 || !KIND.test(key.slice(start, end))) return start;
    start = end + 1;
  }
}

/** Prefixes such as `{crosspoint:17}:`, one in each of `count` equal ranges of slots, so that masters with as many slots get as many of them. */
function evenPrefixes(prefix: string, count: number): string[] {
  const [, name = prefix, rest = ':'] = /^\{([^}]*)\}(.*)$/.exec(prefix) ?? [];
  const found: string[] = [];
  for (let number = 0, missing = count; missing > 0; number += 1) {
    const tag = `${name}:${number}`;
    const range = Math.floor(((crc16(tag) % MAX_SLOTS) * count) / MAX_SLOTS);
    if (found[range] !== undefined) continue;
    found[range] = `{${tag}}${rest}`;
    missing -= 1;
  }
  return found;
}

/** The checksum by which Redis chooses slots, for ASCII. */
function crc16(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) {
    sum ^= (text.charCodeAt(index) & 0xff) << 8;
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ (sum & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return sum;
}
