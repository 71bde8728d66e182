import { isJsonObject } from '../jsonrpc/message.ts';
import { describeMismatch, matchValue, show, type Bindings } from './match-value.ts';

/** A recorder, or its lines or text. */
export type TranscriptSource = { readonly lines: readonly string[] } | readonly string[] | string;

interface Entry {
  readonly line: string;
  readonly direction: string;
  /** The decoded message; the text itself where it is no JSON. */
  readonly message: unknown;
}

/**
 * The expectation of one message: the members it must have; or in short `→ tools/call` (a request or notification by its method), `← result`,
 * `← error`. `…` stands for any number of messages, or none.
 */
export type TranscriptExpectation = { readonly sent: unknown } | { readonly received: unknown } | string;

export type TranscriptMatch = { readonly ok: true } | { readonly ok: false; readonly message: string };

interface Step {
  readonly text: string;
  readonly direction: string;
  readonly pattern: unknown;
}

const GAP = '…';
const LINE = /^(?:[^\s→←]+ )?([→←]) ([\s\S]*)$/;
const SHORT = /^([→←]) (\S+)$/;

function entriesOf(source: TranscriptSource): Entry[] {
  const lines =
    typeof source === 'string' ? source.split('\n').filter(Boolean) : 'lines' in source ? source.lines : source;
  return lines.map((line) => {
    const [, direction = '', text = line] = LINE.exec(line) ?? [];
    return { line, direction, message: parse(text) };
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function stepOf(expectation: TranscriptExpectation): Step | typeof GAP {
  if (expectation === GAP) return GAP;
  if (typeof expectation !== 'string') {
    const [direction, pattern] = 'sent' in expectation ? ['→', expectation.sent] : ['←', expectation.received];
    return { text: `${direction} ${show(pattern)}`, direction, pattern };
  }
  const [, direction, word] = SHORT.exec(expectation) ?? [];
  if (direction === undefined || word === undefined)
    throw new TypeError(
      `"${expectation}" is no expectation: write "→ method", "← method", "← result", "← error" or "${GAP}".`,
    );
  return {
    text: expectation,
    direction,
    pattern: word === 'result' || word === 'error' ? new Answer(word) : { method: word },
  };
}

/** Matches any answer of one kind. */
class Answer {
  readonly kind: 'result' | 'error';

  constructor(kind: 'result' | 'error') {
    this.kind = kind;
  }

  asymmetricMatch(value: unknown): boolean {
    return isJsonObject(value) && this.kind in value;
  }

  toString(): string {
    return `an answer with a ${this.kind}`;
  }
}

interface Failure {
  /** How far the match went: the index of the expectation and of the message. */
  readonly step: number;
  readonly at: number;
  /** How much of the message matched: the deeper the difference, the likelier this message was meant. */
  readonly depth: number;
  readonly why: string;
}

/** Walks through both lists; a gap is tried with no message first, then with one more. */
class Walk {
  furthest: Failure = { step: -1, at: -1, depth: 0, why: '' };
  readonly #steps: readonly (Step | typeof GAP)[];
  readonly #entries: readonly Entry[];

  constructor(steps: readonly (Step | typeof GAP)[], entries: readonly Entry[]) {
    this.#steps = steps;
    this.#entries = entries;
  }

  from(step: number, at: number, bindings: Bindings): boolean {
    const expected = this.#steps[step];
    const entry = this.#entries[at];
    if (expected === undefined) return entry === undefined || this.#fail(step, at, 'nothing more was expected');
    if (expected === GAP) {
      for (let next = at; next <= this.#entries.length; next += 1) if (this.from(step + 1, next, bindings)) return true;
      return false;
    }
    if (entry === undefined) return this.#fail(step, at, 'there are no more messages');
    if (entry.direction !== expected.direction) return this.#fail(step, at, 'it went the other way');
    const matched = matchValue(expected.pattern, entry.message, bindings);
    return matched.ok
      ? this.from(step + 1, at + 1, matched.bindings)
      : this.#fail(step, at, describeMismatch(matched.mismatch), matched.mismatch.path.split('.').length);
  }

  #fail(step: number, at: number, why: string, depth = 0): false {
    const { step: furthest, depth: deepest } = this.furthest;
    if (step > furthest || (step === furthest && depth > deepest)) this.furthest = { step, at, depth, why };
    return false;
  }
}

/** Compares a record with the expected messages. The error message shows both, and where they differ. */
export function matchTranscript(source: TranscriptSource, expected: readonly TranscriptExpectation[]): TranscriptMatch {
  const entries = entriesOf(source);
  const steps = expected.map(stepOf);
  const walk = new Walk(steps, entries);
  if (walk.from(0, 0, new Map())) return { ok: true };
  const { step, at, why } = walk.furthest;
  const wanted = steps[step];
  const title = wanted === undefined ? 'there is more than was expected' : `expectation ${step + 1} is not met`;
  const lines = entries.map(
    ({ line }, index) => `${index === at ? '✗' : ' '} ${line.length > 400 ? `${line.slice(0, 400)}…` : line}`,
  );
  if (at >= entries.length) lines.push('✗ (the end)');
  const expectation = wanted === undefined || wanted === GAP ? [] : [`  expected ${wanted.text}`];
  return {
    ok: false,
    message: [`The transcript does not match: ${title}.`, ...expectation, `  because ${why}`, '', ...lines].join('\n'),
  };
}
