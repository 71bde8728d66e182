import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Json } from '../../values/json.ts';
import type { InputDefinition } from '../server-entry.ts';

const MAX_TEXT = 65_536;
const MAX_LIST = 1000;
const NUMBER = /^[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:e[+-]?\d{1,3})?$/i;

/** A value as it is kept and used, or why it is not taken: a sentence without the value. */
export type CheckedInput = { readonly value: Json } | { readonly fault: string };

/**
 * Holds an answer against its definition. Texts that stand for a number or for true and false are taken as such, a single value as a list of one, and `~/` as
 * the home folder. `null`, an empty text and an empty list are no value, which only an optional input may have.
 */
export async function checkInput(definition: InputDefinition, answer: Json): Promise<CheckedInput> {
  const isEmpty = answer === null || answer === '' || (Array.isArray(answer) && answer.length === 0);
  if (isEmpty) return definition.isRequired === true ? { fault: 'A value is needed.' } : { value: null };
  if (definition.isList !== true) return checkOne(definition, answer);
  const items: readonly Json[] = Array.isArray(answer) ? answer : [answer];
  if (items.length > MAX_LIST) return { fault: `There can be at most ${MAX_LIST} values.` };
  const values: Json[] = [];
  for (const item of items) {
    const checked = await checkOne(definition, item);
    if ('fault' in checked) return checked;
    values.push(checked.value);
  }
  return { value: values };
}

async function checkOne(definition: InputDefinition, item: Json): Promise<CheckedInput> {
  switch (definition.type) {
    case 'number':
      return checkNumber(definition, item);
    case 'boolean':
      return checkBoolean(item);
    case 'choice':
      return checkChoice(definition, item);
    case 'directory':
    case 'file':
      return checkPath(definition.type, item);
    case 'text':
    case 'command':
      return checkText(item);
  }
}

function checkText(item: Json): CheckedInput {
  if (typeof item !== 'string') return { fault: 'It has to be a text.' };
  if (item.length > MAX_TEXT) return { fault: `It can have at most ${MAX_TEXT} characters.` };
  return item.includes('\0') ? { fault: 'It holds a NUL character.' } : { value: item };
}

function checkNumber({ minimum, maximum }: InputDefinition, item: Json): CheckedInput {
  const text = typeof item === 'string' ? item.trim() : item;
  const value = typeof text === 'string' && NUMBER.test(text) ? Number(text) : text;
  if (typeof value !== 'number' || !Number.isFinite(value)) return { fault: 'It has to be a number.' };
  if (minimum !== undefined && value < minimum) return { fault: `It has to be at least ${minimum}.` };
  return maximum !== undefined && value > maximum ? { fault: `It can be at most ${maximum}.` } : { value };
}

function checkBoolean(item: Json): CheckedInput {
  if (typeof item === 'boolean') return { value: item };
  return item === 'true' || item === 'false' ? { value: item === 'true' } : { fault: 'It has to be true or false.' };
}

function checkChoice({ options = [] }: InputDefinition, item: Json): CheckedInput {
  return options.some(({ value }) => value === item) ? { value: item } : { fault: 'It has to be one of the choices.' };
}

async function checkPath(type: 'directory' | 'file', item: Json): Promise<CheckedInput> {
  const text = checkText(item);
  if ('fault' in text || typeof item !== 'string') return text;
  const path = item === '~' || item.startsWith('~/') ? join(homedir(), item.slice(1)) : item;
  if (!isAbsolute(path)) return { fault: `It has to be the absolute path of a ${type}.` };
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return { fault: `There is no such ${type}.` };
  const isRight = type === 'directory' ? stats.isDirectory() : stats.isFile();
  return isRight ? { value: path } : { fault: `It is not a ${type}.` };
}
