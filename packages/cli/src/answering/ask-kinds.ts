import { visibleLine, visibleText, type AnswerTo, type InboxItem, type Json, type JsonObject } from '@crosspoint/host';
import type { Dialog } from './dialog.ts';
import { typable, typableJson } from './typable.ts';

/** Whether a tool may be called, for how long, and with which arguments. */
export async function askCall({ question }: InboxItem<'call'>, dialog: Dialog): Promise<AnswerTo<'call'>> {
  for (;;) {
    const word = await dialog.choose(['once', 'session', 'always', 'edit', 'deny']);
    if (word === 'deny') return { action: 'deny' };
    if (word !== 'edit') return { action: 'allow', for: word };
    const typed = await dialog.ask('Arguments:', { typed: typableJson(question.arguments) });
    const read = readObject(typed);
    if (read !== undefined) return { action: 'allow', for: 'once', arguments: read };
    dialog.say('Arguments are a JSON object, such as {"city": "Rome"}.');
  }
}

/** The words of a model: those that the person writes, or where a model would answer, those of the model. */
export async function askSampling({ question }: InboxItem<'sampling'>, dialog: Dialog): Promise<AnswerTo<'sampling'>> {
  const word =
    question.model === undefined
      ? await dialog.choose(['write', 'deny'])
      : await dialog.choose(['allow', 'write', 'deny']);
  if (word === 'deny') return { action: 'deny' };
  if (word === 'allow') return { action: 'allow' };
  return {
    action: 'allow',
    result: writtenResult(await written('Your answer (a line that ends with \\ goes on):', dialog)),
  };
}

/** The result of a request for a model that a person wrote. */
export function writtenResult(text: string): JsonObject {
  return { role: 'assistant', model: 'person', content: { type: 'text', text }, stopReason: 'endTurn' };
}

async function written(label: string, dialog: Dialog): Promise<string> {
  const lines: string[] = [];
  for (;;) {
    const line = await dialog.ask(lines.length === 0 ? label : '>');
    if (!line.endsWith('\\')) return [...lines, line].join('\n');
    lines.push(line.slice(0, -1));
  }
}

/** Whether words of the model may go to the server, as they are or edited. */
export async function askSampled(
  { question: { result } }: InboxItem<'sampled'>,
  dialog: Dialog,
): Promise<AnswerTo<'sampled'>> {
  const word = await dialog.choose(['allow', 'edit', 'deny']);
  if (word !== 'edit') return { action: word };
  const content = result['content'];
  const text = isObject(content) && typeof content['text'] === 'string' ? content['text'] : '';
  const edited = await dialog.ask('Words for the server:', { typed: typable(text) });
  return { action: 'allow', result: { ...result, content: { type: 'text', text: edited } } };
}

export async function askRoots(
  { question: { roots } }: InboxItem<'roots'>,
  dialog: Dialog,
): Promise<AnswerTo<'roots'>> {
  const word = await (roots.length > 1 ? dialog.choose(['allow', 'some', 'deny']) : dialog.choose(['allow', 'deny']));
  if (word !== 'some') return { action: word };
  const numbers = (await dialog.ask(`Which of them, from 1 to ${roots.length}:`)).split(/\D+/).map(Number);
  return { action: 'allow', roots: roots.filter((_, at) => numbers.includes(at + 1)) };
}

/** A value that a configuration asks for. An empty line takes the default, or cancels where there is none. */
export async function askInput({ question }: InboxItem<'input'>, dialog: Dialog): Promise<AnswerTo<'input'>> {
  const { isSecret, title, isList, options } = question;
  for (;;) {
    if (question.problem !== undefined) dialog.say(`   ${visibleText(question.problem)}`);
    const none = question.default === undefined ? 'cancel' : 'take the default';
    const typed = await dialog.ask(`${visibleLine(title)} (empty to ${none}):`, { isSecret });
    if (typed === '')
      return question.default === undefined ? { action: 'cancel' } : { action: 'accept', value: question.default };
    const values = (isList === true ? typed.split(',').map((text) => text.trim()) : [typed]).map((text) =>
      readValue(text, question.type),
    );
    const isOne = options === undefined || values.every((value) => options.some((option) => option.value === value));
    if (isOne && !values.includes(undefined))
      return { action: 'accept', value: isList === true ? (values as Json[]) : (values[0] ?? null) };
    dialog.say(isOne ? `It must be a ${question.type ?? 'text'}.` : 'It must be one of the options.');
  }
}

/** The value of a typed text; `undefined` where it is none of its type. */
function readValue(text: string, type: InboxItem<'input'>['question']['type']): Json | undefined {
  if (type === 'number') return Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (type === 'boolean')
    return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : undefined;
  return text;
}

function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
