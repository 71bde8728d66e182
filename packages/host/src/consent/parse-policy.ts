import { isObject, type JsonObject } from '../values/json.ts';
import { visibleLine } from '../values/visible-text.ts';
import { ACTIONS, EFFECTS, type Policy } from './policy.ts';
import { PolicyError, type PolicyProblem } from './policy-error.ts';
import { pointerTo, readPointer } from './pointer.ts';

const MAX_TEXT = 1_048_576;
const MAX_RULES = 1000;
const MAX_PATTERNS = 100;
const MAX_PATTERN = 256;
const MAX_TESTS = 20;
const MAX_VALUE = 4096;
const MAX_REASON = 500;
const MAX_PROBLEMS = 100;

/**
 * Reads a policy from the text of a file or from a value. Throws a `PolicyError` that names every fault by its JSON pointer; a member that no
 * policy has is one, because a misspelt rule would protect nothing.
 *
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { parsePolicy } from '@crosspoint/host';
 *
 * const policy = parsePolicy(await readFile('policy.json', 'utf8'));
 * ```
 */
export function parsePolicy(source: unknown): Policy {
  const problems: PolicyProblem[] = [];
  const reader = new PolicyReader(problems);
  const value = typeof source === 'string' ? reader.json(source) : source;
  if (problems.length === 0) reader.policy(value);
  if (problems.length > 0) throw new PolicyError(problems);
  // A copy: a program that changes its own value afterwards changes no policy.
  return structuredClone(value) as Policy;
}

type Check = (value: unknown, pointer: string) => void;

const TESTS = ['equals', 'in', 'glob', 'within', 'min', 'max', 'absent'];

/** Holds a value against the shape of a policy and notes every fault. */
class PolicyReader {
  readonly #problems: PolicyProblem[];

  constructor(problems: PolicyProblem[]) {
    this.#problems = problems;
  }

  json(text: string): unknown {
    if (text.length > MAX_TEXT) {
      this.#fault('', `has ${text.length} characters, a policy has at most ${MAX_TEXT}`);
      return undefined;
    }
    try {
      return JSON.parse(text.replace(/^\uFEFF/, ''));
    } catch (error) {
      this.#fault('', `is not JSON: ${visibleLine((error as Error).message).slice(0, 200)}`);
      return undefined;
    }
  }

  policy(value: unknown): void {
    this.#members(value, '', {
      default: (given, at) => {
        if (!isObject(given)) return this.#oneOf(given, at, EFFECTS);
        const byAction = ACTIONS.map((action): [string, Check] => [action, (one, of) => this.#oneOf(one, of, EFFECTS)]);
        this.#members(given, at, Object.fromEntries(byAction));
      },
      pin: (given, at) => this.#oneOf(given, at, ['ask', 'deny', 'off']),
      askFlags: (given, at) => this.#texts(given, at),
      rules: (given, at) => this.#list(given, at, { most: MAX_RULES, each: (rule, of) => this.#rule(rule, of) }),
    });
  }

  #rule(value: unknown, at: string): void {
    const patterns: Check = (given, of) => (typeof given === 'string' ? this.#text(given, of) : this.#texts(given, of));
    const isTrue: Check = (given, of) => {
      if (typeof given !== 'boolean') this.#fault(of, 'must be true or false');
    };
    this.#members(value, at, {
      effect: (given, of) => this.#oneOf(given, of, EFFECTS),
      action: (given, of) => this.#oneOf(given, of, ACTIONS),
      server: patterns,
      tool: patterns,
      name: patterns,
      arguments: (given, of) => this.#arguments(given, of),
      annotations: (given, of) =>
        this.#members(given, of, { readOnly: isTrue, destructive: isTrue, idempotent: isTrue, openWorld: isTrue }),
      influencedBy: patterns,
      reviewResult: isTrue,
      everyTime: isTrue,
      reason: (given, of) => this.#text(given, of, MAX_REASON),
    });
    if (isObject(value)) this.#combination(value, at);
  }

  /** Members that mean nothing together: such a rule would not do what its author believes. */
  #combination(rule: JsonObject, at: string): void {
    const { effect, action = 'call' } = rule;
    if (effect === undefined) this.#fault(at, `needs an effect: ${EFFECTS.join(', ')}`);
    if (action === 'call' && rule['name'] !== undefined)
      this.#fault(pointerTo(at, 'name'), 'is for other actions than call: a tool is named by "tool"');
    for (const member of ['tool', 'annotations'])
      if (action !== 'call' && rule[member] !== undefined)
        this.#fault(pointerTo(at, member), 'is for calls of tools, and this rule has another action');
    if (action !== 'call' && action !== 'sample' && rule['reviewResult'] !== undefined)
      this.#fault(
        pointerTo(at, 'reviewResult'),
        'is for calls of tools and for sampling, and this rule has another action',
      );
    if (rule['everyTime'] === true && effect !== 'ask')
      this.#fault(pointerTo(at, 'everyTime'), 'goes with the effect ask alone');
    const { influencedBy } = rule;
    if (Array.isArray(influencedBy) && influencedBy.length === 0 && effect !== 'allow')
      this.#fault(pointerTo(at, 'influencedBy'), 'is empty: a rule that asks or denies would never match');
  }

  #arguments(value: unknown, at: string): void {
    if (!isObject(value)) return this.#fault(at, 'must be an object of tests by JSON pointer');
    const entries = Object.entries(value);
    if (entries.length > MAX_TESTS) this.#fault(at, `has ${entries.length} tests, a rule has at most ${MAX_TESTS}`);
    for (const [pointer, test] of entries.slice(0, MAX_TESTS)) {
      const of = pointerTo(at, pointer);
      if (pointer.length > MAX_PATTERN || readPointer(pointer) === undefined)
        this.#fault(of, 'is not named by a JSON pointer: "/path" names the argument path');
      this.#test(test, of);
    }
  }

  #test(value: unknown, at: string): void {
    const number: Check = (given, of) => {
      if (typeof given !== 'number' || !Number.isFinite(given)) this.#fault(of, 'must be a number');
    };
    this.#members(value, at, {
      equals: (given, of) => this.#value(given, of),
      in: (given, of) => this.#list(given, of, { most: MAX_PATTERNS, each: (one, place) => this.#value(one, place) }),
      glob: (given, of) => this.#text(given, of),
      within: (given, of) => {
        this.#text(given, of);
        if (typeof given === 'string' && !/^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(given))
          this.#fault(of, 'must be an absolute path');
      },
      min: number,
      max: number,
      absent: (given, of) => {
        if (given !== true) this.#fault(of, 'must be true, or left out');
      },
    });
    if (!isObject(value)) return;
    const given = TESTS.filter((member) => value[member] !== undefined);
    const isRange = given.length > 0 && given.every((member) => member === 'min' || member === 'max');
    if (given.length !== 1 && !isRange)
      this.#fault(at, 'must have exactly one of equals, in, glob, within and absent, or min and max');
  }

  #value(value: unknown, at: string): void {
    let size = Number.POSITIVE_INFINITY;
    try {
      size = JSON.stringify(value)?.length ?? size;
    } catch {
      // Too deep, or refers to itself: counts as too large.
    }
    if (size > MAX_VALUE) this.#fault(at, `must be JSON of at most ${MAX_VALUE} characters`);
  }

  #members(value: unknown, at: string, checks: Readonly<Record<string, Check>>): void {
    if (!isObject(value)) return this.#fault(at, 'must be an object');
    const names = Object.keys(checks);
    for (const [name, member] of Object.entries(value)) {
      const check = names.includes(name) ? checks[name] : undefined;
      const of = pointerTo(at, name.slice(0, MAX_PATTERN));
      if (check === undefined) this.#fault(of, `is unknown here: there are ${names.join(', ')}`);
      else if (member !== undefined) check(member, of);
    }
  }

  #texts(value: unknown, at: string): void {
    this.#list(value, at, { most: MAX_PATTERNS, each: (one, of) => this.#text(one, of) });
  }

  #list(value: unknown, at: string, { most, each }: { readonly most: number; readonly each: Check }): void {
    if (!Array.isArray(value)) return this.#fault(at, 'must be a list');
    if (value.length > most) this.#fault(at, `has ${value.length} items, at most ${most} are possible`);
    for (const [index, item] of value.slice(0, most).entries()) each(item, pointerTo(at, index));
  }

  #text(value: unknown, at: string, most: number = MAX_PATTERN): void {
    if (typeof value !== 'string' || value === '') return this.#fault(at, 'must be a text');
    if (value.length > most) this.#fault(at, `has ${value.length} characters, at most ${most} are possible`);
  }

  #oneOf(value: unknown, at: string, words: readonly string[]): void {
    if (typeof value !== 'string' || !words.includes(value)) this.#fault(at, `must be one of ${words.join(', ')}`);
  }

  #fault(pointer: string, message: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ pointer, message });
  }
}
