import { CharSet, notLineEnd, single, union } from './char-set.ts';
import { type Escape, PatternSource, PatternSyntaxError } from './pattern-source.ts';
import { readEscape } from './read-escape.ts';
import type { PatternNode } from './pattern-node.ts';

const maxGroupDepth = 100;

/**
 * Reads an ECMA-262 pattern in `u` mode. Two leniencies, because schemas in the field need them: any punctuation may be
 * escaped, and `{`, `}` and `]` stand for themselves where they cannot mean anything else.
 * Backreferences are refused: they cannot be matched in time linear in the input.
 */
export function parsePattern(pattern: string): PatternNode {
  const source = new PatternSource(pattern);
  const node = readChoice(source, 0);
  if (!source.done()) throw new PatternSyntaxError(`unmatched "${source.peek()}"`);
  return node;
}

function readChoice(source: PatternSource, depth: number): PatternNode {
  if (depth > maxGroupDepth) throw new PatternSyntaxError(`groups are nested deeper than ${maxGroupDepth}`);
  const options = [readSequence(source, depth)];
  while (source.eat('|')) options.push(readSequence(source, depth));
  const [only] = options;
  return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
}

function readSequence(source: PatternSource, depth: number): PatternNode {
  const parts: PatternNode[] = [];
  while (!source.done() && source.peek() !== '|' && source.peek() !== ')') {
    parts.push(readQuantified(source, readTerm(source, depth)));
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'sequence', parts };
}

function readQuantified(source: PatternSource, body: PatternNode): PatternNode {
  const bounds = readBounds(source);
  if (bounds === undefined) return body;
  source.eat('?');
  if (bounds.max < bounds.min) throw new PatternSyntaxError('numbers out of order in a quantifier');
  if (readBounds(source) !== undefined) throw new PatternSyntaxError('nothing to repeat');
  return { kind: 'repeat', body, min: bounds.min, max: bounds.max };
}

function readBounds(source: PatternSource): { min: number; max: number } | undefined {
  if (source.eat('*')) return { min: 0, max: Infinity };
  if (source.eat('+')) return { min: 1, max: Infinity };
  if (source.eat('?')) return { min: 0, max: 1 };
  const found = source.eatMatch(/\{(\d+)(,(\d*))?\}/y);
  if (found === undefined) return undefined;
  const min = Number(found[1]);
  if (found[2] === undefined) return { min, max: min };
  return { min, max: found[3] === undefined || found[3] === '' ? Infinity : Number(found[3]) };
}

function readTerm(source: PatternSource, depth: number): PatternNode {
  const char = source.next();
  switch (char) {
    case '^':
      return { kind: 'edge', edge: 'start' };
    case '$':
      return { kind: 'edge', edge: 'end' };
    case '.':
      return { kind: 'chars', set: notLineEnd };
    case '(':
      return readGroup(source, depth);
    case '[':
      return { kind: 'chars', set: readClass(source) };
    case '*':
    case '+':
    case '?':
      throw new PatternSyntaxError('nothing to repeat');
    case '\\':
      return readEscapedTerm(source);
    default:
      return { kind: 'chars', set: single(char.codePointAt(0) ?? 0) };
  }
}

function readEscapedTerm(source: PatternSource): PatternNode {
  if (source.eat('b')) return { kind: 'edge', edge: 'word' };
  if (source.eat('B')) return { kind: 'edge', edge: 'not-word' };
  return { kind: 'chars', set: asSet(readEscape(source)) };
}

function readGroup(source: PatternSource, depth: number): PatternNode {
  const look = source.eatMatch(/\?(<?)([=!])/y);
  if (look === undefined && source.eatMatch(/\?:|\?<[\p{L}\p{N}_$]+>/uy) === undefined && source.peek() === '?') {
    throw new PatternSyntaxError(`unknown kind of group (?${source.peekAfter()}`);
  }
  const body = readChoice(source, depth + 1);
  if (!source.eat(')')) throw new PatternSyntaxError('a group is not closed');
  return look === undefined ? body : { kind: 'look', body, ahead: look[1] === '', negated: look[2] === '!' };
}

function readClass(source: PatternSource): CharSet {
  const negated = source.eat('^');
  const sets: CharSet[] = [];
  while (!source.eat(']')) {
    if (source.done()) throw new PatternSyntaxError('a character class is not closed');
    const from = readClassMember(source);
    if (source.peek() === '-' && source.peekAfter() !== ']') {
      source.next();
      const to = readClassMember(source);
      if (typeof from !== 'number' || typeof to !== 'number' || to < from) {
        throw new PatternSyntaxError('invalid range in a character class');
      }
      sets.push(new CharSet([from, to]));
    } else sets.push(asSet(from));
  }
  return union(sets, negated);
}

function readClassMember(source: PatternSource): Escape {
  if (source.done()) throw new PatternSyntaxError('a character class is not closed');
  const char = source.next();
  if (char !== '\\') return char.codePointAt(0) ?? 0;
  return source.eat('b') ? 8 : readEscape(source);
}

function asSet(member: Escape): CharSet {
  return typeof member === 'number' ? single(member) : member;
}
