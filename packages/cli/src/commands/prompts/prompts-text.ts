import type { GetPromptResult, Prompt } from 'crosspoint/client';
import { visibleLine, visibleText } from '@crosspoint/host';
import type { Colours } from '../../output/colours.ts';

const MAX_LINE = 160;
const MAX_BLOCK = 500;

/** Prompts as signatures, each with the first line of its description. */
export function promptsText(prompts: readonly Prompt[], { bold, dim }: Colours): string {
  if (prompts.length === 0) return 'The server has no prompts.';
  return prompts
    .map(({ name, title, description, arguments: args = [] }) => {
      const words = args.map((one) => `${visibleLine(one.name)}${one.required === true ? '' : '?'}`).join(', ');
      const [first = ''] = (description ?? title ?? '').split('\n');
      const line = visibleLine(first).slice(0, MAX_LINE);
      return `${bold(visibleLine(name))}(${words})${line === '' ? '' : `\n    ${dim(line)}`}`;
    })
    .join('\n');
}

/** Messages for people: who speaks, then the text; everything else as JSON. */
export function messagesText({ messages }: GetPromptResult, { bold }: Colours): string {
  if (messages.length === 0) return 'The prompt has no messages.';
  return messages
    .map(({ role, content }) => {
      const text =
        content.type === 'text' ? visibleText(content.text) : visibleText(JSON.stringify(content)).slice(0, MAX_BLOCK);
      return `${bold(`${visibleLine(role)}:`)} ${text}`;
    })
    .join('\n');
}
