import type { CatalogueTool } from '../catalogue/catalogue.ts';
import { isObject, type Json, type JsonObject } from '../values/json.ts';

/** The texts of a tool that are searched. Everything but `id` and `server` is text of its server. */
export interface ToolDocument {
  /** Its name in the catalogue. */
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: string;
  readonly details: string;
}

export type Field = Exclude<keyof ToolDocument, 'id'>;

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
  return {
    id: name,
    server,
    name: tool.name,
    title: textOf(tool.title) || textOf(tool.annotations?.title),
    description: textOf(tool.description),
    arguments: properties.map(([key]) => key.slice(0, MAX_DETAIL)).join(' '),
    details: properties.map(([, value]) => detailOf(value)).join('\n'),
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
