import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

const read = new Map();

/** A parsed file of declarations. Each file is parsed once: the meaning of a name is often several files away. */
export function declarationFile(path) {
  const known = read.get(path);
  if (known !== undefined) return known;
  const source = readFileSync(path, 'utf8');
  const { program, comments, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0].message}`);
  const docs = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'));
  const file = { path, source, body: program.body, docs };
  read.set(path, file);
  return file;
}

/** The words of the comment that stands directly before a place, and its tags. */
export function docBefore({ source, docs }, start) {
  const comment = docs.findLast(({ end }) => end <= start && /^\s*$/.test(source.slice(end, start)));
  if (comment === undefined) return { text: '', isInternal: false, deprecated: undefined };
  const lines = comment.value
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''));
  const all = lines.join('\n').trim();
  const [, deprecated] = /@deprecated\s*([\s\S]*?)(?=\n@|$)/.exec(all) ?? [];
  const text = all.replaceAll(/(?:^|\n)@\w+[\s\S]*?(?=\n@|$)/g, '').trim();
  return {
    text: text.replaceAll(/\{@link\s+([^}\s]+)[^}]*\}/g, '`$1`'),
    isInternal: /@internal\b/.test(all),
    deprecated: deprecated?.replaceAll(/\s+/g, ' ').trim(),
  };
}
