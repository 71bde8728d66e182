import type { Tool } from 'crosspoint/client';
import { visibleLine } from '@crosspoint/host';
import type { Colours } from '../../output/colours.ts';

const MAX_LINE = 160;

/** Tools as signatures, each with the first line of its description. */
export function toolsText(tools: readonly Tool[], colours: Colours): string {
  if (tools.length === 0) return 'The server has no tools.';
  return tools.map((tool) => `${signatureText(tool, colours)}${firstLine(tool, colours)}`).join('\n');
}

/** The name with its arguments: `get-sum(a: number, b: number)`. */
export function signatureText(tool: Tool, { bold }: Colours): string {
  return `${bold(visibleLine(tool.name))}(${argumentsText(tool)})`;
}

/** The first line of the description under a signature; nothing where there is none. */
export function firstLine({ description, title }: Pick<Tool, 'description' | 'title'>, { dim }: Colours): string {
  const [first = ''] = (description ?? title ?? '').split('\n');
  const words = visibleLine(first).slice(0, MAX_LINE);
  return words === '' ? '' : `\n    ${dim(words)}`;
}

function argumentsText({ inputSchema }: Tool): string {
  const { properties = {}, required = [] } = inputSchema as { properties?: object; required?: readonly string[] };
  return Object.entries(properties)
    .map(([name, schema]) => `${visibleLine(name)}${required.includes(name) ? '' : '?'}: ${typeText(schema)}`)
    .join(', ');
}

function typeText(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'any';
  const { type, enum: words } = schema as { type?: unknown; enum?: unknown };
  if (Array.isArray(words))
    return visibleLine(words.map((word) => JSON.stringify(word)).join(' | ')).slice(0, MAX_LINE);
  return visibleLine(Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any');
}
