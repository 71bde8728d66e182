import { visibleLine } from '../../values/visible-text.ts';

const PLAIN = /^[\w@%+=:,./~-]+$/;

/** A word as a shell would need it, for people to read: unseen characters as their codes. It is never given to a shell. */
export function quoted(word: string): string {
  if (PLAIN.test(word)) return word;
  return `'${visibleLine(word).replaceAll("'", String.raw`'\''`)}'`;
}
