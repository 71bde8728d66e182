import type { CatalogueTool } from '../catalogue/catalogue.ts';
import { isObject, type Json, type JsonObject } from '../values/json.ts';
import { wordsOf } from './words.ts';

/** The words of a tool that are searched, with spaces between them, by field. All of them are words of its server. */
export type ToolDocument = Readonly<Record<Field, string>> & {
  /** Its name in the catalogue. */
  readonly id: string;
  /** Its server, as it is named. */
  readonly owner: string;
};

export type Field = 'name' | 'title' | 'server' | 'description' | 'arguments' | 'details';

/**
 * How much a word counts in each field, and how many words of the field are looked at. The bounds hold for every tool alike: more words make a tool
 * easier to find and each of its words worth less, and words past the bound make it neither.
 */
export const FIELDS: Readonly<Record<Field, { readonly boost: number; readonly most: number }>> = {
  name: { boost: 3, most: 12 },
  title: { boost: 1.5, most: 12 },
  server: { boost: 1.5, most: 6 },
  description: { boost: 2, most: 60 },
  arguments: { boost: 0.6, most: 40 },
  details: { boost: 0.4, most: 80 },
};

const MAX_ARGUMENTS = 40;
const MAX_DETAIL = 160;
const MAX_CHOICES = 12;

export function documentOf({ name, server, tool }: CatalogueTool): ToolDocument {
  const schema = tool.inputSchema as JsonObject;
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']).slice(0, MAX_ARGUMENTS) : [];
  const words = (field: Field, text: string): string => wordsOf(text, FIELDS[field].most).join(' ');
  return {
    id: name,
    owner: server,
    name: words('name', tool.name),
    title: words('title', textOf(tool.title) || textOf(tool.annotations?.title)),
    server: words('server', server),
    description: words('description', textOf(tool.description)),
    arguments: words('arguments', properties.map(([key]) => key.slice(0, MAX_DETAIL)).join(' ')),
    details: words('details', properties.map(([, value]) => detailOf(value)).join('\n')),
  };
}

/** The description and the choices of an argument. */
function detailOf(value: Json | undefined): string {
  if (!isObject(value)) return '';
  const choices = Array.isArray(value['enum']) ? value['enum'].slice(0, MAX_CHOICES) : [];
  const texts = [value['description'], ...choices].filter((text) => typeof text === 'string');
  return texts.map((text) => text.slice(0, MAX_DETAIL)).join(' ');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
