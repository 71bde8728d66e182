import type { Tool } from 'crosspoint/client';
import { visibleLine } from '@crosspoint/host';
import type { Colours } from '../../output/colours.ts';

const MAX_LINE = 160;

/** Tools as signatures, each with the first line of its description. */
export function toolsText(tools: readonly Tool[], { bold, dim }: Colours): string {
  if (tools.length === 0) return 'The server has no tools.';
  return tools
    .map((tool) => {
      const [first = ''] = (tool.description ?? tool.title ?? '').split('\n');
      const words = visibleLine(first).slice(0, MAX_LINE);
      return `${bold(visibleLine(tool.name))}(${argumentsText(tool)})${words === '' ? '' : `\n    ${dim(words)}`}`;
    })
    .join('\n');
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
