import { formFault, readForm, type FormField } from 'crosspoint/client';
import { visibleLine, visibleText, type AnswerTo, type InboxItem, type JsonObject } from '@crosspoint/host';
import type { Dialog } from './dialog.ts';
import { typable } from './typable.ts';

type Value = string | number | boolean | string[];
type Content = Record<string, Value>;

/** Asks field by field, checks each, then shows the answers: nothing is sent before the person has looked at them. */
export async function askForm({ question, from }: InboxItem<'form'>, dialog: Dialog): Promise<AnswerTo<'form'>> {
  const { requestedSchema: schema } = question;
  const fields = readForm(schema);
  const content: Content = {};
  const first = await dialog.choose(['answer', 'decline', 'cancel']);
  if (first !== 'answer') return { action: first };
  for (const field of fields) await fill(field, schema, { content, dialog });
  for (;;) {
    const lines = fields.map(({ label, name }, at) => `   ${at + 1}. ${visibleLine(label)}: ${shown(content[name])}`);
    dialog.say([`These answers go to the server "${visibleLine(from.server ?? '')}":`, ...lines].join('\n'));
    const word = await dialog.choose(['send', 'change', 'decline', 'cancel']);
    if (word === 'decline' || word === 'cancel') return { action: word };
    if (word === 'change') {
      const field = fields[Number(await dialog.ask('The number of the answer to change:')) - 1];
      if (field !== undefined) await fill(field, schema, { content, dialog });
      continue;
    }
    const fault = formFault(schema, content);
    if (fault === undefined) return { action: 'accept', content };
    dialog.say(`They do not fit: ${visibleText(fault)}`);
  }
}

interface Filling {
  readonly content: Content;
  readonly dialog: Dialog;
}

/** Asks for one field until its value fits. */
async function fill(field: FormField, schema: JsonObject, { content, dialog }: Filling): Promise<void> {
  const { name } = field;
  if ('options' in field)
    dialog.say(
      field.options
        .map(({ value, label }, at) => `   ${at + 1}. ${visibleLine(value === label ? value : `${value} (${label})`)}`)
        .join('\n'),
    );
  for (;;) {
    const typed = await dialog.ask(`${visibleLine(field.label)} (${factsOf(field)}):`, {
      typed: typable(shown(content[name] ?? field.default)),
    });
    const value = typed === '' ? undefined : readField(field, typed);
    const fault = faultOf(field, schema, value);
    if (fault !== undefined) dialog.say(`   ${visibleText(fault)}`);
    else {
      if (value === undefined) delete content[name];
      else content[name] = value;
      return;
    }
  }
}

/** The needs of the field, in a few words. */
function factsOf(field: FormField): string {
  const facts: string[] = [field.required ? 'required' : 'optional', KINDS[field.kind]];
  if (field.kind === 'text') {
    if (field.format !== undefined) facts.push(visibleLine(field.format));
    if (field.minLength !== undefined) facts.push(`at least ${field.minLength} characters`);
    if (field.maxLength !== undefined) facts.push(`at most ${field.maxLength} characters`);
  }
  if (field.kind === 'number' || field.kind === 'integer') {
    if (field.minimum !== undefined) facts.push(`from ${field.minimum}`);
    if (field.maximum !== undefined) facts.push(`up to ${field.maximum}`);
  }
  return facts.join(', ');
}

const KINDS: Readonly<Record<FormField['kind'], string>> = {
  text: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'yes or no',
  choice: 'one of these, or its number',
  choices: 'several of these with commas between, or their numbers',
};

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The value that was typed; a text that is none of its kind stays a text, and does not fit. */
function readField(field: FormField, typed: string): Value {
  switch (field.kind) {
    case 'text':
      return typed;
    case 'number':
    case 'integer':
      return NUMBER.test(typed) ? Number(typed) : typed;
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(typed) ? true : /^(?:n|no|false)$/i.test(typed) ? false : typed;
    case 'choice':
      return optionOf(field.options, typed);
    case 'choices':
      return typed.split(',').map((word) => optionOf(field.options, word.trim()));
  }
}

/** The value of an option: as it is written, by its label, or by its number. */
function optionOf(options: readonly { readonly value: string; readonly label: string }[], typed: string): string {
  const named = options.find(({ value }) => value === typed) ?? options.find(({ label }) => label === typed);
  const numbered = /^\d+$/.test(typed) ? options[Number(typed) - 1] : undefined;
  return (named ?? numbered)?.value ?? typed;
}

/** Why a value does not fit its field; `undefined` when it does. */
function faultOf({ name, required }: FormField, schema: JsonObject, value: Value | undefined): string | undefined {
  if (value === undefined) return required ? 'It is required.' : undefined;
  const fields = schema['properties'] as JsonObject;
  return formFault({ type: 'object', properties: { [name]: fields[name] ?? {} } }, { [name]: value });
}

function shown(value: Value | readonly string[] | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(', ') : String(value);
}
