import { isJsonObject } from 'crosspoint/internal';
import type { Parameter } from './parameters.ts';

/** A fault in an argument; the message is for a model. */
export class ArgumentFault extends Error {
  override readonly name: string = 'ArgumentFault';
}

/** Writes a value into its place in the path. The value cannot leave that place: separators are encoded, and `..` is refused. */
export function writePath(parameter: Parameter, value: unknown): string {
  const { name, style, explode } = parameter;
  const isMatrix = style === 'matrix';
  const separator = style === 'label' && explode ? '.' : isMatrix && explode ? ';' : ',';
  const parts = partsOf(parameter, value, encoded);
  const bare = parts.map(([key, text]) => (key === undefined ? text : `${key}${explode ? '=' : ','}${text}`));
  let written = bare.join(separator);
  if (style === 'label') written = `.${written}`;
  if (isMatrix)
    written =
      explode && parts.every(([key]) => key === undefined)
        ? bare.map((text) => `;${name}=${text}`).join('')
        : explode
          ? `;${written}`
          : `;${name}=${written}`;
  if (written === '') throw new ArgumentFault(`"${name}" must not be empty: it is part of the path.`);
  if (/^(?:\.|%2e){1,2}$/i.test(written)) throw new ArgumentFault(`"${name}" must not be "." or "..".`);
  return written;
}

/** Writes a value as pairs of a query or a form. */
export function writeQuery(parameter: Parameter, value: unknown): string[] {
  const { name, style, explode } = parameter;
  const key = encoded(name);
  const parts = partsOf(parameter, value, encoded);
  if (style === 'deepObject')
    return parts.map(([member, text]) => (member === undefined ? `${key}=${text}` : `${key}%5B${member}%5D=${text}`));
  if (explode) return parts.map(([member, text]) => `${member ?? key}=${text}`);
  const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ',';
  return [
    `${key}=${parts.flatMap(([member, text]) => (member === undefined ? [text] : [member, text])).join(separator)}`,
  ];
}

/** Writes a header's value. Characters that could end the header are refused. */
export function writeHeader(parameter: Parameter, value: unknown): string {
  const parts = partsOf(parameter, value, (text) => text);
  const written = parts
    .map(([key, text]) => (key === undefined ? text : `${key}${parameter.explode ? '=' : ','}${text}`))
    .join(',');
  // Visible ASCII, spaces and tabs alone: any other character might be read as the end of the value.
  if (!/^[\t\x20-\x7e]*$/.test(written))
    throw new ArgumentFault(
      `"${parameter.name}" is sent as a header, so it may hold only plain characters of one line.`,
    );
  return written;
}

export function writeCookie(parameter: Parameter, value: unknown): string {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(parameter.name))
    throw new ArgumentFault(`"${parameter.name}" cannot be the name of a cookie.`);
  return writeQuery(parameter, value).join('; ');
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new ArgumentFault('An argument is not well-formed Unicode text and cannot be sent.');
  }
}

type Part = readonly [key: string | undefined, text: string];

function partsOf({ name, isJson }: Parameter, value: unknown, encode: (text: string) => string): Part[] {
  if (isJson) return [[undefined, encode(JSON.stringify(value) ?? 'null')]];
  if (Array.isArray(value)) return value.map((item: unknown) => [undefined, encode(scalarText(name, item))]);
  if (isJsonObject(value))
    return Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [encode(key), encode(scalarText(name, member))]);
  return [[undefined, encode(scalarText(name, value))]];
}

function scalarText(name: string, value: unknown): string {
  if (typeof value === 'object' && value !== null)
    throw new ArgumentFault(`"${name}" is nested too deeply to be written as a parameter.`);
  if (typeof value === 'string') return value;
  return value === null ? '' : (JSON.stringify(value) ?? '');
}
