import type { CallToolResult } from 'crosspoint/client';
import { visibleText } from '@crosspoint/host';

const MAX_BLOCK = 500;

/** The result of a call: texts as they are, everything else as JSON. */
export function resultText({ content, structuredContent, isError }: CallToolResult): string {
  const lines = content.map((block) =>
    block.type === 'text' ? visibleText(block.text) : visibleText(JSON.stringify(block)).slice(0, MAX_BLOCK),
  );
  if (lines.length === 0) lines.push(visibleText(JSON.stringify(structuredContent ?? {}, undefined, 2)));
  return [...(isError === true ? ['The tool failed:'] : []), ...lines].join('\n');
}
