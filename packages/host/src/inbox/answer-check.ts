import { formFault, isProtocolError } from 'crosspoint/client';
import { isObject, type JsonObject } from '../values/json.ts';
import type { AnswerTo, InboxItem, QuestionKind } from './item.ts';

/** An answer that does not fit its question. The question stays in the inbox. `field` names the member or form field that is wrong. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

type Check = (value: unknown) => string | undefined;

/** The actions of each kind, and the members that each may have beside `action`. */
type Members = Readonly<Record<string, Check>>;
type Actions = Readonly<Record<string, Members>>;

const object: Check = (value) => (isObject(value) ? undefined : 'must be an object');
const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a text');
const duration: Check = (value) =>
  value === 'once' || value === 'session' || value === 'always' ? undefined : 'must be "once", "session" or "always"';
const list: Check = (value) => (Array.isArray(value) ? undefined : 'must be a list');
const given: Check = (value) => (value === undefined ? 'is missing' : undefined);

const REFUSED: Members = { message: text };
const CONSENT: Actions = { allow: {}, deny: {} };

const ANSWERS: Readonly<Record<QuestionKind, Actions>> = {
  start: CONSENT,
  login: CONSENT,
  call: { allow: { for: duration, arguments: object }, deny: REFUSED },
  result: { allow: { result: object }, deny: REFUSED },
  form: { accept: { content: object }, decline: {}, cancel: {} },
  url: { accept: {}, decline: {}, cancel: {} },
  sampling: { allow: { request: requestFault, result: sampledFault }, deny: REFUSED },
  sampled: { allow: { result: sampledFault }, deny: REFUSED },
  roots: { allow: { roots: list }, deny: {} },
  input: { accept: { value: given }, cancel: {} },
};

/** Members without which an answer says nothing. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = { 'form/accept': ['content'], 'input/accept': ['value'] };

/**
 * Returns a copy of the answer, holding the members of its kind and no others. Throws `AnswerError` where it does not fit: another action, a
 * member that is unknown, missing or of another type, content that the form does not take, a folder that was not asked about.
 */
export function checkedAnswer<K extends QuestionKind>(item: InboxItem<K>, answer: unknown): AnswerTo<K>;
export function checkedAnswer(item: InboxItem, answer: unknown): AnswerTo<QuestionKind> {
  const actions = ANSWERS[item.kind];
  const action = isObject(answer) ? answer['action'] : undefined;
  const members = typeof action === 'string' && Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!isObject(answer) || typeof action !== 'string' || members === undefined)
    throw new AnswerError(
      'action',
      `The answer to a question of kind "${item.kind}" needs an action: ${choices(actions)}.`,
    );
  checkMembers(`${item.kind}/${action}`, answer, members);
  checkAgainstQuestion(item, answer);
  try {
    return structuredClone(answer) as object as AnswerTo<QuestionKind>;
  } catch {
    throw new AnswerError('', 'The answer holds something that is no JSON.');
  }
}

function choices(actions: Actions): string {
  return Object.keys(actions)
    .map((name) => `"${name}"`)
    .join(', ');
}

function checkMembers(what: string, answer: JsonObject, members: Members): void {
  const needed = REQUIRED[what] ?? [];
  for (const name of needed)
    if (answer[name] === undefined) throw new AnswerError(name, `The answer lacks its member "${name}".`);
  for (const [name, value] of Object.entries(answer)) {
    if (name === 'action' || value === undefined) continue;
    const check = Object.hasOwn(members, name) ? members[name] : undefined;
    if (check === undefined)
      throw new AnswerError(name, `The answer has a member "${name}", which ${what} does not take.`);
    const fault = check(value);
    if (fault !== undefined) throw new AnswerError(name, `The member "${name}" of the answer ${fault}.`);
  }
}

function checkAgainstQuestion(item: InboxItem, answer: JsonObject): void {
  if (item.kind === 'form' && answer['action'] === 'accept')
    checkForm(item.question.requestedSchema, answer['content']);
  if (item.kind === 'roots' && answer['roots'] !== undefined) checkRoots(item.question.roots, answer['roots']);
  if (item.kind === 'input' && item.question.options !== undefined && answer['action'] === 'accept') {
    const { options, id } = item.question;
    const values: readonly unknown[] = Array.isArray(answer['value']) ? answer['value'] : [answer['value']];
    if (!values.every((value) => options.some((option) => option.value === value)))
      throw new AnswerError('value', `The value of "${id}" is none of its options.`);
  }
}

function checkForm(schema: JsonObject, content: unknown): void {
  if (!isObject(content)) return;
  const fields = isObject(schema['properties']) ? schema['properties'] : {};
  const unknown = Object.keys(content).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) throw new AnswerError(unknown, `The form has no field "${unknown}".`);
  const fault = faultOf(schema, content);
  if (fault === undefined) return;
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const wrong = Object.keys(fields).find((name) => {
    const field = fields[name];
    if (content[name] === undefined) return required.includes(name);
    return isObject(field) && faultOf({ type: 'object', properties: { [name]: field } }, { [name]: content[name] });
  });
  throw new AnswerError(
    wrong ?? 'content',
    wrong === undefined ? `The form is not filled in: ${fault}` : `The form is not filled in, see "${wrong}": ${fault}`,
  );
}

function faultOf(schema: JsonObject, content: JsonObject): string | undefined {
  try {
    return formFault(schema, content);
  } catch (error) {
    if (isProtocolError(error)) return error.message;
    throw error;
  }
}

function checkRoots(asked: readonly { readonly uri: string }[], roots: unknown): void {
  for (const root of Array.isArray(roots) ? (roots as unknown[]) : []) {
    const uri = isObject(root) ? root['uri'] : undefined;
    if (!asked.some((one) => one.uri === uri))
      throw new AnswerError('roots', `The folder ${JSON.stringify(uri)} is none of those that were asked about.`);
  }
}

/** Why an edited request for a model cannot be sent. */
function requestFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object';
  const { messages, maxTokens } = value;
  if (!Array.isArray(messages) || !messages.every(isObject)) return 'needs a list of messages';
  return Number.isInteger(maxTokens) && Number(maxTokens) > 0 ? undefined : 'needs maxTokens, a whole number above 0';
}

/** Why an object is no result of sampling: it needs `role`, `model`, and `content` of one block or several. */
function sampledFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object';
  const { role, model, content } = value;
  if (role !== 'assistant' && role !== 'user') return 'needs the role "assistant"';
  if (typeof model !== 'string') return 'needs the name of the model in "model"';
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.length > 0 && blocks.every((block) => isObject(block) && typeof block['type'] === 'string')
    ? undefined
    : 'needs content: { "type": "text", "text": "…" }, or a list of such blocks';
}
