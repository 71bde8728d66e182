import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import type { QuestionKind } from '../item.ts';
import { errorMessage } from '../../values/guard.ts';

/** The questions that a rule is for. Every member that is given must fit; texts are patterns, in which `*` stands for any characters. */
export interface RuleMatch {
  readonly kind?: QuestionKind | readonly QuestionKind[];
  readonly server?: string;
  /** The tool that is called, or whose call the question belongs to. */
  readonly tool?: string;
  /** The words of the question: the message of a form or page, the last message for a model, a command, a title. */
  readonly message?: string;
  /** Fields that the form must have. */
  readonly fields?: readonly string[];
}

/** One rule: a match, one way to answer, and how often it may be used. */
export interface ResponderRule {
  /** Every question when absent. */
  readonly match?: RuleMatch;
  /** The answer, word for word. */
  readonly answer?: JsonObject;
  /** Accepts a form: these values by field, and the defaults of the form for the others. */
  readonly content?: JsonObject;
  /** Refuses: `decline`, `deny` or `cancel`, as the kind has it. */
  readonly decline?: true;
  /** Answers a request for words of a model with this text, without a model. */
  readonly text?: string;
  /** Allows these of the folders that are asked about, by URI. */
  readonly roots?: readonly string[];
  /** How often the rule may answer; without limit when absent. */
  readonly times?: number;
}

export interface ResponderRules {
  readonly rules: readonly ResponderRule[];
  /** Answers every question that no rule matches with the most careful answer, at once. */
  readonly strict?: boolean;
}

/** A file of rules that cannot be used. The message says where and what is wrong. */
export class ResponderRulesError extends Error {
  override readonly name = 'ResponderRulesError';
}

const KINDS: Readonly<Record<QuestionKind, true>> = {
  start: true,
  call: true,
  result: true,
  form: true,
  url: true,
  sampling: true,
  sampled: true,
  roots: true,
  login: true,
  input: true,
};

/** The ways to answer, with the kinds that each is for; `undefined`: every kind. */
const WAYS: Readonly<Record<string, readonly QuestionKind[] | undefined>> = {
  answer: undefined,
  decline: undefined,
  content: ['form'],
  text: ['sampling'],
  roots: ['roots'],
};

/**
 * Reads a file of rules. Throws `ResponderRulesError` for a text that is no JSON, and for a rule with a member that is unknown or wrong, with no
 * way to answer or several, or that answers a kind in a way of another.
 */
export function parseResponderRules(text: string): ResponderRules {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new ResponderRulesError(`The rules are no JSON: ${errorMessage(error)}`);
  }
  return checkedRules(parsed);
}

/** The same for rules that are no text. */
export function checkedRules(given: unknown): ResponderRules {
  if (!isObject(given)) throw fault('The rules', 'must be an object with a list "rules"');
  onlyMembers('The rules', given, ['rules', 'strict', '$schema']);
  const { rules, strict } = given;
  if (!Array.isArray(rules)) throw fault('The rules', 'must be an object with a list "rules"');
  if (strict !== undefined && typeof strict !== 'boolean') throw fault('strict', 'must be true or false');
  return {
    rules: rules.map((rule: Json, index) => checkedRule(rule, `rules[${index}]`)),
    ...(strict !== undefined && { strict }),
  };
}

function checkedRule(rule: Json, where: string): ResponderRule {
  if (!isObject(rule)) throw fault(where, 'must be an object');
  onlyMembers(where, rule, ['match', 'times', ...Object.keys(WAYS)]);
  const ways = Object.keys(WAYS).filter((way) => rule[way] !== undefined);
  const [way] = ways;
  if (way === undefined || ways.length > 1)
    throw fault(where, `must have exactly one of ${Object.keys(WAYS).join(', ')}, not ${ways.length}`);
  checkWay(rule, way, where);
  const { times, match } = rule;
  if (times !== undefined && !(Number.isInteger(times) && Number(times) > 0))
    throw fault(`${where}.times`, 'must be a whole number above 0');
  const kinds = match === undefined ? [] : checkedKinds(match, `${where}.match`);
  const [other] = kinds.filter((kind) => WAYS[way]?.includes(kind) === false);
  if (other !== undefined) throw fault(where, `answers with "${way}", which does not answer the kind "${other}"`);
  return rule;
}

/** Whether the way in which a rule answers is for questions of this kind. */
export function answersKind(rule: ResponderRule, kind: QuestionKind): boolean {
  return Object.entries(WAYS).every(
    ([way, kinds]) => rule[way as keyof ResponderRule] === undefined || kinds === undefined || kinds.includes(kind),
  );
}

function checkWay(rule: JsonObject, way: string, where: string): void {
  const value = rule[way];
  const at = `${where}.${way}`;
  if (way === 'answer' && !(isObject(value) && typeof value['action'] === 'string'))
    throw fault(at, 'must be an object with an "action"');
  if (way === 'content' && !isObject(value)) throw fault(at, 'must be an object with values by field');
  if (way === 'decline' && value !== true) throw fault(at, 'must be true');
  if (way === 'text' && typeof value !== 'string') throw fault(at, 'must be a text');
  if (way === 'roots' && !isTexts(value)) throw fault(at, 'must be a list of URIs');
}

function checkedKinds(match: Json, where: string): readonly QuestionKind[] {
  if (!isObject(match)) throw fault(where, 'must be an object');
  onlyMembers(where, match, ['kind', 'server', 'tool', 'message', 'fields']);
  const { kind, fields } = match;
  for (const member of ['server', 'tool', 'message'])
    if (match[member] !== undefined && typeof match[member] !== 'string')
      throw fault(`${where}.${member}`, 'must be a text, with * for any characters');
  if (fields !== undefined && !isTexts(fields)) throw fault(`${where}.fields`, 'must be a list of names');
  const kinds: readonly (Json | undefined)[] = kind === undefined ? [] : Array.isArray(kind) ? kind : [kind];
  return kinds.map((one) => {
    if (typeof one === 'string' && Object.hasOwn(KINDS, one)) return one as QuestionKind;
    throw fault(`${where}.kind`, `must be one of ${Object.keys(KINDS).join(', ')}, not ${JSON.stringify(one)}`);
  });
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function onlyMembers(where: string, value: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw fault(where, `has a member "${unknown}"; it may have ${known.join(', ')}`);
}

function fault(where: string, what: string): ResponderRulesError {
  return new ResponderRulesError(`${where} ${what}.`);
}
