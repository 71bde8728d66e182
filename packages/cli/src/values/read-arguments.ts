import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Tool } from 'crosspoint/client';
import type { Json, JsonObject } from '@crosspoint/host';
import { CliError } from '../errors/cli-error.ts';
import { errorMessage } from '../errors/as-error.ts';
import { jsonTokens } from './json-tokens.ts';

type Schema = Tool['inputSchema'];

/** `NAME:=JSON` or `NAME=TEXT`; the name ends at the first of them. */
const PAIR = /^([^=:][^=]*?)(:=|=)([\s\S]*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The arguments that words say: `NAME=TEXT`, `NAME=@FILE` and `NAME:=JSON`. A text is never altered; where the schema of the tool wants a number or a boolean, the text must be
 * one, exactly. Throws a `CliError` for everything else, and nothing is sent then.
 */
export function readArguments(words: readonly string[], schema: Schema, cwd: string): JsonObject {
  const given: Record<string, Json> = {};
  for (const word of words) {
    const [, name, sign, text] = PAIR.exec(word) ?? [];
    if (name === undefined || text === undefined)
      throw new CliError('usage', `${JSON.stringify(word)} is no argument.`, {
        hint: 'Write NAME=TEXT, NAME=@FILE or NAME:=JSON; --args FILE gives all of them as one JSON object.',
      });
    if (Object.hasOwn(given, name))
      throw new CliError('usage', `The argument ${JSON.stringify(name)} was given twice.`);
    given[name] =
      sign === ':='
        ? readJson(name, text)
        : readText(name, text.startsWith('@') ? fileText(name, text.slice(1), cwd) : text, schema);
  }
  return given;
}

/** The JSON object of a text, such as the content of a file. */
export function readObject(text: string, where: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CliError('usage', `${where} is no JSON: ${errorMessage(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CliError('usage', `${where} must be a JSON object, such as {"city": "Rome"}.`);
  checkNumbers(where, text);
  return value as JsonObject;
}

function readJson(name: string, text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw new CliError('usage', `${name}:= needs JSON, and ${JSON.stringify(text)} is none.`, {
      hint: `A text is written as ${name}=TEXT, or with quotes: ${name}:='"TEXT"'.`,
    });
  }
  checkNumbers(`The argument ${name}`, text);
  return value;
}

function readText(name: string, text: string, schema: Schema): Json {
  const types = typesOf(schema, name);
  if (types.length === 0 || types.includes('string')) return text;
  const isNumber = types.includes('number') || types.includes('integer');
  if (isNumber && NUMBER.test(text)) {
    const number = Number(text);
    checkNumbers(`The argument ${name}`, text);
    if (types.includes('number') || Number.isInteger(number)) return number;
  }
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.includes('null') && text === 'null') return null;
  throw new CliError(
    'usage',
    `The argument ${name} must be ${types.join(' or ')}, and ${JSON.stringify(text)} is not.`,
    {
      hint: `Nothing was sent. ${name}:=JSON gives any value as JSON.`,
    },
  );
}

/** A number that JavaScript would change on the way is refused: it would reach the server as another one, or as null. */
function checkNumbers(where: string, json: string): void {
  for (const { text: token } of jsonTokens(json)) {
    if (!/^-?\d/.test(token)) continue;
    const number = Number(token);
    const isExact = Number.isFinite(number) && (Number.isSafeInteger(number) || !/^-?\d+$/.test(token));
    if (!isExact)
      throw new CliError('usage', `${where}: ${token} cannot be sent exactly as a number.`, {
        hint: 'Give it as a text, if the tool takes one.',
      });
  }
}

/** The types that the schema allows for a member; none when it does not say. */
function typesOf(schema: Schema, name: string): readonly string[] {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, unknown>> };
  const member = properties[name];
  if (typeof member !== 'object' || member === null || !('type' in member)) return [];
  const { type } = member;
  return typeof type === 'string' ? [type] : Array.isArray(type) ? type.map(String) : [];
}

function fileText(name: string, path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError('usage', `The argument ${name}: the file ${path} cannot be read (${code ?? 'unknown error'}).`, {
      hint: `A text that begins with "@" is written as JSON: ${name}:='"@…"'.`,
    });
  }
}
