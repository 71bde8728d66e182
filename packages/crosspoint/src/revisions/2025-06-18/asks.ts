import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Ask } from '../../protocol/outcome.ts';
import { without } from '../reducer.ts';
import { writeForm } from './elicitation.ts';

const dropTools = without('tools', 'toolChoice', 'task');

/** Writes a question as a form of simple fields, or as sampling without tools. */
export function askInSimpleWords(ask: Ask): Ask | undefined {
  if (ask.method === 'roots/list') return ask;
  const params = ask.method === 'elicitation/create' ? writeForm(ask.params) : writeSampling(ask.params);
  return params && { method: ask.method, params };
}

function writeSampling(params: JsonObject): JsonObject | undefined {
  const { tools, messages } = params;
  if (Array.isArray(tools) && tools.length > 0) return undefined;
  if (!Array.isArray(messages)) return dropTools(params);
  const written: JsonObject[] = [];
  for (const message of messages as unknown[]) {
    const block = isJsonObject(message) ? onlyBlock(message['content']) : undefined;
    if (!isJsonObject(message) || block === undefined) return undefined;
    const { _meta, ...rest } = message;
    written.push({ ...rest, content: block });
  }
  return { ...dropTools(params), messages: written };
}

/** The only block of a message; `undefined` for several, or for one about tools. */
function onlyBlock(content: unknown): JsonObject | undefined {
  const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : content;
  if (!isJsonObject(block) || block['type'] === 'tool_use' || block['type'] === 'tool_result') return undefined;
  return block;
}

/** The client's answer to sampling, as one block. Several texts are joined; any other list is refused. */
export function withOneBlock(result: JsonObject): JsonObject {
  const { content } = result;
  if (!Array.isArray(content)) return result;
  const block = onlyBlock(content) ?? joinTexts(content);
  if (block === undefined)
    throw new ProtocolError(
      'internal',
      'The protocol revision of this connection carries one content block in a message.',
    );
  return { ...result, content: block };
}

function joinTexts(blocks: readonly unknown[]): JsonObject | undefined {
  const texts: string[] = [];
  for (const block of blocks) {
    if (!isJsonObject(block) || typeof block['text'] !== 'string') return undefined;
    texts.push(block['text']);
  }
  return { type: 'text', text: texts.join('\n') };
}
