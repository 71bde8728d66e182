import type { CallToolResult, ContentBlock } from 'crosspoint/client';
import { isFor } from '../context/resource-search.ts';
import type { ModelInfo, ResultBlock, TextBlock } from '../models/model.ts';

/** The tool of the agent that reads the rest of a result. Names of the catalogue have `__` in them, so no server can take it. */
export const READ_RESULT = 'read_result';

/** The most base64 characters of a picture or a sound that go to a model: about 5 MB. */
const MAX_MEDIA = 7_000_000;
const SEPARATOR = '\n\n';

export const words = (text: string): TextBlock => ({ type: 'text', text });

/**
 * A result as blocks for the model. Content that is for the user alone is left out, and media that the model does not take, or that are too
 * large, are described.
 */
export function resultBlocks(result: CallToolResult, info: ModelInfo): ResultBlock[] {
  const given = (Array.isArray(result.content) ? result.content : []).filter(
    (block) => typeof block === 'object' && block !== null,
  );
  const blocks = given
    .filter(({ annotations }) => isFor(annotations, 'assistant'))
    .flatMap((block) => blockOf(block))
    .map((block) => (isTaken(block, info) ? block : words(description(block))));
  if (blocks.length > 0) return blocks;
  if (result.structuredContent !== undefined) return [words(JSON.stringify(result.structuredContent))];
  return [words(given.length > 0 ? '(The content is for the user, and was shown to them.)' : '(No content.)')];
}

function blockOf(block: ContentBlock): ResultBlock[] {
  switch (block.type) {
    case 'text':
      return [words(block.text)];
    case 'image':
    case 'audio':
      return [{ type: block.type, data: block.data, mimeType: block.mimeType }];
    case 'resource_link': {
      const { uri, title, name, mimeType } = block;
      return [{ type: 'resource', uri, title: title ?? name, ...(mimeType !== undefined && { mimeType }) }];
    }
    case 'resource': {
      const { uri, mimeType, ...rest } = block.resource;
      const content = 'text' in rest ? { text: rest.text } : 'blob' in rest ? { blob: rest.blob } : {};
      return [{ type: 'resource', uri, ...(mimeType !== undefined && { mimeType }), ...content }];
    }
    default:
      return [];
  }
}

function isTaken(block: ResultBlock, { takes }: ModelInfo): boolean {
  if (block.type === 'text') return true;
  if (block.type === 'resource') return (block.blob?.length ?? 0) <= MAX_MEDIA;
  return block.data.length <= MAX_MEDIA && (takes === undefined || takes.includes(block.type));
}

/** A block in words, for models that do not take it. */
function description(block: ResultBlock): string {
  if (block.type === 'text') return block.text;
  const size = (data: string): string => `${Math.ceil((data.length * 3) / 4000)} kB`;
  if (block.type !== 'resource')
    return `(${block.type === 'image' ? 'An image' : 'A sound'} of type ${block.mimeType}, ${size(block.data)}, which is not shown to you.)`;
  const { uri, title, mimeType, text, blob } = block;
  const head = `Resource ${uri}${title === undefined ? '' : ` (${title})`}`;
  if (text !== undefined) return `${head}:\n${text}`;
  return blob === undefined
    ? head
    : `${head}: ${size(blob)}${mimeType === undefined ? '' : ` of type ${mimeType}`}, not shown to you.`;
}

/** Everything of a result that is text. */
export function wholeText(content: readonly ResultBlock[]): string {
  return content
    .filter((block) => block.type === 'text' || (block.type === 'resource' && block.blob === undefined))
    .map(description)
    .join(SEPARATOR);
}

export interface Cut {
  readonly ref: string;
  /** The most characters of text. */
  readonly characters: number;
  /** Characters of the whole text; those of the content when absent. */
  readonly whole?: number | undefined;
  /** Describes pictures and sounds, too. */
  readonly isShort?: boolean | undefined;
}

/** The content with at most so many characters of text, and a note that says how to read the rest. */
export function cutContent(content: readonly ResultBlock[], { ref, characters, whole, isShort }: Cut): ResultBlock[] {
  const text = wholeText(content);
  const length = whole ?? text.length;
  const rest = content.filter((block) => block.type === 'image' || block.type === 'audio' || hasBytes(block));
  const media = isShort === true ? rest.map((block) => words(description(block))) : rest;
  if (length <= characters) return isShort === true ? [...(text === '' ? [] : [words(text)]), ...media] : [...content];
  const start = text.slice(0, endBefore(text, Math.min(characters, text.length)));
  const note = `[Cut after ${start.length} of ${length} characters. ${READ_RESULT} with {"result": "${ref}", "offset": ${start.length}} reads on.]`;
  return [words(`${start}\n${note}`), ...media];
}

const hasBytes = (block: ResultBlock): boolean => block.type === 'resource' && block.blob !== undefined;

/** A place at or before `end` that takes no character apart. */
export function endBefore(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return end > 0 && end < text.length && code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
