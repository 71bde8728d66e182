import { formFault, readForm, type FormField } from 'crosspoint/client';
import {
  describeItem,
  visibleLine,
  visibleText,
  type AnswerTo,
  type InboxItem,
  type Json,
  type JsonObject,
  type QuestionKind,
} from '@crosspoint/host';
import type { Dialog } from './dialog.ts';
import { readObject, typable, typableText } from './shown.ts';

/** Shows a question of the inbox with everything that a person has to know, and asks for the answer. */
export async function answerItem(
  item: InboxItem,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<AnswerTo<QuestionKind>> {
  const { title, lines } = describeItem(item);
  dialog.say(['', `== ${title}`, ...lines.map((line) => `   ${line}`)].join('\n'));
  switch (item.kind) {
    case 'call':
      return answerCall(item, dialog, signal);
    case 'form':
      return answerForm(item, dialog, signal);
    case 'url':
      return { action: await dialog.choose(['accept', 'decline', 'cancel'], signal) };
    case 'sampling':
      return answerSampling(item, dialog, signal);
    case 'sampled':
      return answerSampled(item, dialog, signal);
    case 'roots':
      return answerRoots(item, dialog, signal);
    case 'input':
      return answerInput(item, dialog, signal);
    case 'start':
    case 'login':
    case 'result':
      return { action: await dialog.choose(['allow', 'deny'], signal) };
  }
}

async function answerCall(
  { question }: InboxItem<'call'>,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<AnswerTo<'call'>> {
  for (;;) {
    const word = await dialog.choose(['once', 'session', 'always', 'edit', 'deny'], signal);
    if (word === 'deny') return { action: 'deny' };
    if (word !== 'edit') return { action: 'allow', for: word };
    const typed = await dialog.ask('Arguments:', signal, { typed: typable(question.arguments) });
    try {
      return { action: 'allow', for: 'once', arguments: readObject(typed) };
    } catch (error) {
      dialog.say(visibleText(String(error)));
    }
  }
}

type Content = Record<string, string | number | boolean | string[]>;

/** Asks field by field, then shows the answers: nothing is sent before the user has looked at them. */
async function answerForm(
  { question, from }: InboxItem<'form'>,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<AnswerTo<'form'>> {
  const fields = readForm(question.requestedSchema);
  const content: Content = {};
  const fill = async (field: FormField): Promise<void> => {
    const before = content[field.name] ?? field.default ?? '';
    const label = `${visibleLine(field.label)}${field.required ? '' : ' (optional)'}:`;
    const typed = await dialog.ask(label, signal, { typed: typableText(String(before)) });
    const value = readField(field, typed);
    if (value === undefined) delete content[field.name];
    else content[field.name] = value;
  };
  const first = await dialog.choose(['answer', 'decline', 'cancel'], signal);
  if (first !== 'answer') return { action: first };
  for (const field of fields) await fill(field);
  while (!signal.aborted) {
    const lines = fields.map(
      ({ label, name }, at) => `   ${at + 1}. ${visibleLine(label)}: ${String(content[name] ?? '')}`,
    );
    dialog.say([`These answers go to the server "${visibleLine(from.server ?? '')}":`, ...lines].join('\n'));
    const word = await dialog.choose(['send', 'change', 'decline', 'cancel'], signal);
    if (word === 'decline' || word === 'cancel') return { action: word };
    const fault = word === 'send' ? formFault(question.requestedSchema, content) : undefined;
    if (word === 'send' && fault === undefined) return { action: 'accept', content };
    if (fault !== undefined) dialog.say(`They do not fit: ${visibleText(fault)}`);
    else {
      const field = fields[Number(await dialog.ask('The number of the answer to change:', signal)) - 1];
      if (field !== undefined) await fill(field);
    }
  }
  return { action: 'cancel' };
}

function readField(field: FormField, typed: string): Content[string] | undefined {
  if (typed === '') return undefined;
  if (field.kind === 'boolean') return ['yes', 'true', 'y'].includes(typed.toLowerCase());
  if (field.kind === 'choices') return typed.split(',').map((word) => word.trim());
  // A text where a number belongs is told by the check of the form.
  if (field.kind === 'number' || field.kind === 'integer') return Number.isNaN(Number(typed)) ? typed : Number(typed);
  return typed;
}

/** The words for the model can be edited, message by message, before it gets them. */
async function answerSampling(
  { question: { request } }: InboxItem<'sampling'>,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<AnswerTo<'sampling'>> {
  const word = await dialog.choose(['allow', 'edit', 'deny'], signal);
  if (word !== 'edit') return { action: word };
  const messages: Json[] = [];
  for (const message of (request['messages'] ?? []) as readonly JsonObject[]) {
    const label = message['role'] === 'user' ? 'user:' : 'assistant:';
    messages.push({ ...message, content: await editedContent(label, message, dialog, signal) });
  }
  const instructions = typeof request['systemPrompt'] === 'string' ? request['systemPrompt'] : undefined;
  if (instructions === undefined) return { action: 'allow', request: { ...request, messages } };
  const systemPrompt = await dialog.ask('Instructions:', signal, { typed: typableText(instructions) });
  return { action: 'allow', request: { ...request, messages, systemPrompt } };
}

async function answerSampled(
  { question: { result } }: InboxItem<'sampled'>,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<AnswerTo<'sampled'>> {
  const word = await dialog.choose(['allow', 'edit', 'deny'], signal);
  if (word !== 'edit') return { action: word };
  const content = await editedContent('Words for the server:', result, dialog, signal);
  return { action: 'allow', result: { ...result, content } };
}

/** The content of a message, each text of it edited; anything else stays. */
async function editedContent(
  label: string,
  { content }: JsonObject,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<Json> {
  const blocks = (Array.isArray(content) ? content : [content]) as readonly JsonObject[];
  const edited: JsonObject[] = [];
  for (const block of blocks)
    edited.push(
      typeof block['text'] === 'string'
        ? { ...block, text: await dialog.ask(label, signal, { typed: typableText(block['text']) }) }
        : block,
    );
  return Array.isArray(content) ? edited : (edited[0] ?? null);
}

async function answerRoots(
  { question: { roots } }: InboxItem<'roots'>,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<AnswerTo<'roots'>> {
  const word = await dialog.choose(roots.length > 1 ? ['allow', 'some', 'deny'] : ['allow', 'deny'], signal);
  if (word !== 'some') return { action: word };
  const numbers = (await dialog.ask(`Which of them, from 1 to ${roots.length}:`, signal)).split(/\D+/).map(Number);
  return { action: 'allow', roots: roots.filter((_, at) => numbers.includes(at + 1)) };
}

async function answerInput(
  { question }: InboxItem<'input'>,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<AnswerTo<'input'>> {
  const { isSecret, title, isList, type, options = [] } = question;
  const words = options.map(({ value }) => value);
  const typed = await dialog.ask(`${visibleLine(title)} (empty to cancel):`, signal, { isSecret, words });
  if (typed === '' && question.default === undefined) return { action: 'cancel' };
  const read = (text: string): Json => (type === 'number' ? Number(text) : type === 'boolean' ? text === 'yes' : text);
  const value = isList === true ? typed.split(',').map((text) => read(text.trim())) : read(typed);
  return { action: 'accept', value: typed === '' ? (question.default ?? null) : value };
}
