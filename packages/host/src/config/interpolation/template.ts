import { visibleLine } from '../../values/visible-text.ts';
import { readReference, type Dialect, type Reference } from './dialects.ts';

/** A piece of a text of a configuration: words that stand for themselves, a reference, or a reference that is none. */
export type Part =
  | { readonly text: string }
  | { readonly reference: Reference; readonly source: string }
  | { readonly fault: string; readonly source: string };

/** Spellings of tools whose files are not read here. A value that is nothing but one of them was copied from there. */
const FOREIGN_SPELLING = /^(?:Bearer )?(?:\$env:\w+|\{env:\w+\})$/;

const MAX_REFERENCES = 200;

/** The pieces of a text, in order. What a reference brings in is never looked at again: there is one pass. */
export function parseTemplate(text: string, dialect: Dialect): Part[] {
  if (FOREIGN_SPELLING.test(text))
    return [{ fault: 'is a reference of another program, which no format here has', source: text }];
  const parts: Part[] = [];
  let words = '';
  let at = 0;
  const push = (part: Part): void => {
    if (words !== '') parts.push({ text: words });
    words = '';
    parts.push(part);
  };
  while (at < text.length) {
    const start = text.indexOf('${', at);
    if (start === -1) break;
    if (dialect.escape !== undefined && text[start - 1] === '$' && start > at) {
      words += `${text.slice(at, start - 1)}\${`;
      at = start + 2;
      continue;
    }
    words += text.slice(at, start);
    if (parts.length > 2 * MAX_REFERENCES) {
      push({ fault: `and more follow: a text has at most ${MAX_REFERENCES} references`, source: text.slice(start) });
      return parts;
    }
    const end = text.indexOf('}', start);
    at = end === -1 ? text.length : end + 1;
    push(partOf(text.slice(start, at), dialect));
  }
  words += text.slice(at);
  if (words !== '') parts.push({ text: words });
  return parts;
}

function partOf(source: string, dialect: Dialect): Part {
  if (!source.endsWith('}')) return { fault: 'is not closed by a brace', source };
  const body = source.slice(2, -1);
  if (body.includes('${')) return { fault: 'holds another reference, which is not expanded', source };
  const reference = readReference(body, dialect);
  return typeof reference === 'string' ? { fault: reference, source } : { reference, source };
}

/** The sentence about a part that cannot be expanded, or `undefined`. */
export function faultOf(part: Part): string | undefined {
  if ('fault' in part) return `${shownSource(part.source)} ${part.fault}`;
  if ('reference' in part && part.reference.kind === 'refused')
    return `${shownSource(part.source)} ${part.reference.why}`;
  return undefined;
}

/** A text whose `${…}` are replaced, whatever their dialect. */
export function mapReferences(text: string, replace: (source: string) => string): string {
  let mapped = '';
  let at = 0;
  for (let start = text.indexOf('${'); start !== -1; start = text.indexOf('${', at)) {
    const end = text.indexOf('}', start);
    if (end === -1) break;
    mapped += text.slice(at, start) + replace(text.slice(start, end + 1));
    at = end + 1;
  }
  return mapped + text.slice(at);
}

const MAX_SHOWN = 80;

/** A reference as people may see it: without its default, which may be a secret. */
export function shownSource(source: string): string {
  const isOpen = source.startsWith('${') && !source.endsWith('}');
  const [name = ''] = source.split(':-');
  const shown = isOpen ? '${…' : name === source ? source : `${name}:-…}`;
  return visibleLine(shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown);
}
