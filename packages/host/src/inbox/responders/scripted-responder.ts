import { readForm } from 'crosspoint/client';
import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import { checkedAnswer } from '../answer-check.ts';
import { carefulAnswer, refusal } from '../careful-answer.ts';
import type { AnswerTo, InboxItem, QuestionKind } from '../item.ts';
import { matchesGlob } from '../../values/glob.ts';
import type { Responder } from './responder.ts';
import { answersKind, checkedRules, type ResponderRule, type ResponderRules, type RuleMatch } from './rules.ts';
import { errorMessage } from '../../values/guard.ts';

/** One question, and what the rules made of it. */
export interface ScriptedDecision {
  readonly kind: QuestionKind;
  readonly server?: string;
  readonly tool?: string;
  /** The words of the question, as `message` of a rule sees them. */
  readonly message: string;
  /** The number of the rule that answered, from 0; absent when none did. */
  readonly rule?: number;
  /** The answer; absent when the question was left to people. */
  readonly answer?: AnswerTo<QuestionKind>;
  /** Why the answer of the rule could not be given. */
  readonly fault?: string;
}

const MOST_DECISIONS = 10_000;

/**
 * Answers questions by rules, so that a host runs without people: in CI, in tests. The first rule that matches and has not been used up answers.
 *
 * ```ts
 * const script = new ScriptedResponder(parseResponderRules(await readFile('answers.json', 'utf8')));
 * const inbox = new Inbox({ responders: [script.respond] });
 * // …
 * assert.deepEqual(script.unused(), []);
 * ```
 */
export class ScriptedResponder {
  readonly #rules: readonly ResponderRule[];
  readonly #isStrict: boolean;
  readonly #used: number[];
  readonly #decisions: ScriptedDecision[] = [];

  /** Throws `ResponderRulesError` for rules that cannot be used. */
  constructor(rules: ResponderRules) {
    const checked = checkedRules(rules);
    this.#rules = checked.rules;
    this.#isStrict = checked.strict ?? false;
    this.#used = checked.rules.map(() => 0);
  }

  /** The questions so far and what became of each, the last 10,000 at most. */
  get decisions(): readonly ScriptedDecision[] {
    return this.#decisions;
  }

  /** The questions that no rule answered. */
  get unmatched(): readonly ScriptedDecision[] {
    return this.#decisions.filter(({ rule }) => rule === undefined);
  }

  /** The numbers of the rules that have answered nothing. */
  unused(): readonly number[] {
    return this.#used.flatMap((times, rule) => (times === 0 ? [rule] : []));
  }

  /** The responder to give to an inbox. */
  readonly respond: Responder = (item) => {
    const rule = this.#rules.findIndex(
      (one, index) =>
        (this.#used[index] ?? 0) < (one.times ?? Number.POSITIVE_INFINITY) &&
        answersKind(one, item.kind) &&
        fits(item, one.match),
    );
    const found = this.#rules[rule];
    if (found === undefined) return this.#withoutRule(item, {}, 'No rule matches the question.');
    this.#used[rule] = (this.#used[rule] ?? 0) + 1;
    try {
      const answer = checkedAnswer(item, answerBy(found, item));
      this.#note(item, { rule, answer });
      return answer;
    } catch (error) {
      const fault = `rules[${rule}]: ${errorMessage(error)}`;
      const careful = this.#withoutRule(item, { rule, fault }, fault);
      if (careful !== undefined) return careful;
      throw new Error(fault, { cause: error });
    }
  };

  #withoutRule(item: InboxItem, facts: Partial<ScriptedDecision>, why: string): AnswerTo<QuestionKind> | undefined {
    const answer = this.#isStrict ? carefulAnswer(item.kind, why) : undefined;
    this.#note(item, { ...facts, ...(answer !== undefined && { answer }) });
    return answer;
  }

  #note(item: InboxItem, facts: Partial<ScriptedDecision>): void {
    const { server } = item.from;
    const tool = toolOf(item);
    if (this.#decisions.length >= MOST_DECISIONS) this.#decisions.shift();
    this.#decisions.push({
      kind: item.kind,
      ...(server !== undefined && { server }),
      ...(tool !== undefined && { tool }),
      message: messageOf(item).slice(0, 1000),
      ...facts,
    });
  }
}

function fits(item: InboxItem, match: RuleMatch = {}): boolean {
  const { kind, server, tool, message, fields } = match;
  const kinds = kind === undefined ? undefined : typeof kind === 'string' ? [kind] : kind;
  return (
    (kinds?.includes(item.kind) ?? true) &&
    fitsText(server, item.from.server) &&
    fitsText(tool, toolOf(item)) &&
    fitsText(message, messageOf(item)) &&
    (fields === undefined || (item.kind === 'form' && fields.every((name) => Object.hasOwn(fieldsOf(item), name))))
  );
}

function fitsText(pattern: string | undefined, text: string | undefined): boolean {
  return pattern === undefined || (text !== undefined && matchesGlob(pattern, text));
}

function fieldsOf({ question }: InboxItem<'form'>): JsonObject {
  const { properties } = question.requestedSchema;
  return isObject(properties) ? properties : {};
}

function toolOf(item: InboxItem): string | undefined {
  if (item.kind === 'call') return item.question.tool.name;
  return item.kind === 'result' ? item.question.tool : item.from.call?.tool;
}

function messageOf({ kind, question }: InboxItem): string {
  switch (kind) {
    case 'form':
    case 'url':
      return question.message;
    case 'start':
      return question.target;
    case 'login':
      return question.url;
    case 'input':
      return question.title;
    case 'sampling':
      return lastText(question.request['messages']);
    case 'sampled':
      return lastText([question.result]);
    case 'call':
      return question.tool.name;
    case 'result':
      return question.tool;
    case 'roots':
      return question.roots.map(({ uri }) => uri).join(' ');
  }
}

function lastText(messages: Json | undefined): string {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = isObject(last) ? last['content'] : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks
    .flatMap((block) => (isObject(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    .join('\n');
}

function answerBy(rule: ResponderRule, item: InboxItem): unknown {
  if (rule.answer !== undefined) return rule.answer;
  if (rule.decline === true) return refusal(item.kind);
  if (item.kind === 'form' && rule.content !== undefined)
    return { action: 'accept', content: { ...defaultsOf(item), ...rule.content } };
  if (item.kind === 'sampling' && rule.text !== undefined)
    return {
      action: 'allow',
      result: {
        role: 'assistant',
        model: 'scripted',
        content: { type: 'text', text: rule.text },
        stopReason: 'endTurn',
      },
    };
  if (item.kind === 'roots' && rule.roots !== undefined) {
    const names = new Map(item.question.roots.map((root) => [root.uri, root]));
    return { action: 'allow', roots: rule.roots.map((uri) => names.get(uri) ?? { uri }) };
  }
  throw new Error(`its way to answer is not for questions of kind "${item.kind}"`);
}

function defaultsOf({ question }: InboxItem<'form'>): JsonObject {
  return Object.fromEntries(
    readForm(question.requestedSchema).flatMap((field) =>
      field.default === undefined ? [] : [[field.name, field.default as Json]],
    ),
  );
}
