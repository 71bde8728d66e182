import { createHash } from 'node:crypto';

/** The longest name that the APIs of models take for a tool. */
export const MAX_NAME = 64;

const SEPARATOR = '__';
/** Server names that can stand in a name as they are: no separator in them, and none that begins at their end. */
const PLAIN_SERVER = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;
const PLAIN_ITEM = /^[A-Za-z0-9_-]+$/;
/** The end of every name that was shortened or cleaned, and of no other. */
const MARKED = /_x[a-z2-7]{16}$/;
const MARK_LENGTH = 18;
const FORBIDDEN = /[^A-Za-z0-9-]+/g;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * The name of a server's tool or prompt for models and users: `server__tool`, at most 64 letters, digits, `_` and `-`. It depends on the two
 * names alone, so that it never changes its meaning because another server or tool joins. Names that are too long, or that hold other
 * characters, are cut and cleaned, and end in `_x` and 80 bits of the SHA-256 of both names.
 *
 * ```ts
 * catalogueName('github', 'create_issue'); // 'github__create_issue'
 * ```
 */
export function catalogueName(server: string, item: string): string {
  const plain = `${server}${SEPARATOR}${item}`;
  const isPlain = plain.length <= MAX_NAME && PLAIN_SERVER.test(server) && PLAIN_ITEM.test(item) && !MARKED.test(plain);
  return isPlain ? plain : marked(server, item);
}

/** Server and item of a name without a mark; `undefined` for a marked one, whose names only a catalogue knows. */
export function splitName(name: string): { readonly server: string; readonly item: string } | undefined {
  const at = name.indexOf(SEPARATOR);
  if (at < 1 || MARKED.test(name)) return undefined;
  return { server: name.slice(0, at), item: name.slice(at + SEPARATOR.length) };
}

function marked(server: string, item: string): string {
  const room = MAX_NAME - MARK_LENGTH - SEPARATOR.length;
  const first = clean(server).slice(0, Math.floor(room / 2)) || 'server';
  const second = clean(item).slice(0, room - first.length) || 'item';
  return `${first}${SEPARATOR}${second}_x${hashOf(JSON.stringify([server, item]))}`;
}

const clean = (name: string): string => name.replaceAll(FORBIDDEN, '-');

/** 80 bits in 16 characters of base 32. */
function hashOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest();
  let characters = '';
  for (let at = 0; at < 80; at += 5) {
    const pair = ((bytes[at >> 3] ?? 0) << 8) | (bytes[(at >> 3) + 1] ?? 0);
    characters += BASE32[(pair >> (11 - (at & 7))) & 31];
  }
  return characters;
}
