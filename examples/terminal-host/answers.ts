import { readForm, type FormField } from 'crosspoint/client';
import {
  describeItem,
  visibleLine,
  type AnswerTo,
  type InboxItem,
  type JsonObject,
  type QuestionKind,
} from '@crosspoint/host';
import type { Dialog } from './dialog.ts';

/** Shows a question of the inbox with everything that a person has to know, and asks for the answer. */
export async function answerItem(
  item: InboxItem,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<AnswerTo<QuestionKind>> {
  const { title, lines } = describeItem(item);
  dialog.say(`\n== ${title}`);
  for (const line of lines) dialog.say(`   ${line}`);
  switch (item.kind) {
    case 'call':
      return answerCall(dialog, signal);
    case 'form':
      return answerForm(item, dialog, signal);
    case 'url':
      return { action: await dialog.choose(['accept', 'decline', 'cancel'], signal) };
    case 'sampling':
      return answerSampling(item, dialog, signal);
    case 'sampled':
      return answerSampled(item, dialog, signal);
    case 'input':
      return { action: 'accept', value: await dialog.ask(`${item.question.title}:`, signal) };
    case 'start':
    case 'login':
    case 'result':
    case 'roots':
      return { action: await dialog.choose(['allow', 'deny'], signal) };
  }
}

async function answerCall(dialog: Dialog, signal: AbortSignal): Promise<AnswerTo<'call'>> {
  for (;;) {
    const word = await dialog.choose(['once', 'session', 'always', 'edit', 'deny'], signal);
    if (word === 'deny') return { action: 'deny' };
    if (word !== 'edit') return { action: 'allow', for: word };
    const edited = readObject(await dialog.ask('Arguments as JSON:', signal));
    if (edited !== undefined) return { action: 'allow', for: 'once', arguments: edited };
    dialog.say('That is not a JSON object.');
  }
}

/** Asks field by field, then shows the answers: nothing is sent before the user has looked at them. */
async function answerForm(item: InboxItem<'form'>, dialog: Dialog, signal: AbortSignal): Promise<AnswerTo<'form'>> {
  const fields = readForm(item.question.requestedSchema);
  const first = await dialog.choose(['answer', 'decline', 'cancel'], signal);
  if (first !== 'answer') return { action: first };
  for (;;) {
    const content: Record<string, string | number | boolean | string[]> = {};
    for (const field of fields) {
      const value = readField(
        field,
        await dialog.ask(`${visibleLine(field.label)} (${field.kind}${field.required ? ', needed' : ''}):`, signal),
      );
      if (value !== undefined) content[field.name] = value;
    }
    dialog.say(`Your answers: ${JSON.stringify(content)}`);
    const word = await dialog.choose(['send', 'change', 'decline', 'cancel'], signal);
    if (word === 'send') return { action: 'accept', content };
    if (word !== 'change') return { action: word };
  }
}

function readField({ kind }: FormField, typed: string): string | number | boolean | string[] | undefined {
  if (typed === '') return undefined;
  if (kind === 'boolean') return ['yes', 'true', 'y'].includes(typed.toLowerCase());
  if (kind === 'number' || kind === 'integer') return Number(typed);
  return kind === 'choices' ? typed.split(',').map((word) => word.trim()) : typed;
}

async function answerSampling(
  item: InboxItem<'sampling'>,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<AnswerTo<'sampling'>> {
  const word = await dialog.choose(['allow', 'edit', 'deny'], signal);
  if (word === 'deny') return { action: 'deny' };
  if (word === 'allow') return { action: 'allow' };
  const words = await dialog.ask('Words for the model:', signal);
  const messages = [{ role: 'user', content: { type: 'text', text: words } }];
  return { action: 'allow', request: { ...item.question.request, messages } };
}

async function answerSampled(
  item: InboxItem<'sampled'>,
  dialog: Dialog,
  signal: AbortSignal,
): Promise<AnswerTo<'sampled'>> {
  const word = await dialog.choose(['allow', 'edit', 'deny'], signal);
  if (word === 'deny') return { action: 'deny' };
  if (word === 'allow') return { action: 'allow' };
  const text = await dialog.ask('Words for the server:', signal);
  return { action: 'allow', result: { ...item.question.result, content: { type: 'text', text } } };
}

function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
