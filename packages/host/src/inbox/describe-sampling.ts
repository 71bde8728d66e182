import { isObject, type Json, type JsonObject } from '../values/json.ts';
import { cut } from './shown-text.ts';

const CONTEXTS: Readonly<Record<string, string>> = {
  thisServer: 'what this server has told the conversation so far',
  allServers: 'what every server has told the conversation so far',
};

/** A request for words of a model: its prompt, who says what, and what else is given to the model. */
export function samplingLines(request: JsonObject, model?: string): string[] {
  const { messages, systemPrompt, maxTokens, includeContext, tools } = request;
  const context = typeof includeContext === 'string' ? CONTEXTS[includeContext] : undefined;
  return [
    ...(typeof systemPrompt === 'string' ? [`Instructions: ${cut(systemPrompt, 4000)}`] : []),
    ...(Array.isArray(messages) ? messages : []).flatMap((message: Json) => messageLines(message)),
    ...(typeof maxTokens === 'number' ? [`At most ${maxTokens} tokens`] : []),
    ...(Array.isArray(tools)
      ? [`Tools that the model may ask the server to run: ${tools.map(nameOf).join(', ')}`]
      : []),
    `Context given along: ${context ?? 'none'}`,
    ...(model === undefined ? [] : [`Model: ${cut(model, 200)}`]),
  ];
}

/** The words of a model, before a server gets them. */
export function sampledLines(result: JsonObject): string[] {
  const { model } = result;
  return [...messageLines(result), ...(typeof model === 'string' ? [`Model: ${cut(model, 200)}`] : [])];
}

function messageLines(message: Json): string[] {
  if (!isObject(message)) return [];
  const { role, content } = message;
  const blocks: readonly Json[] = Array.isArray(content) ? content : [content ?? null];
  return blocks.map((block) => `${role === 'user' ? 'user' : 'assistant'}: ${blockText(block)}`);
}

function blockText(block: Json): string {
  if (!isObject(block)) return '(nothing)';
  const { type, text, mimeType } = block;
  if (type === 'text' && typeof text === 'string') return cut(text, 4000);
  if (type === 'tool_use' || type === 'tool_result') return cut(JSON.stringify(block), 2000);
  return cut(`(${typeof type === 'string' ? type : '?'}${typeof mimeType === 'string' ? `, ${mimeType}` : ''})`, 200);
}

function nameOf(tool: Json): string {
  return cut(isObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : '?', 200);
}
