import type { JsonObject } from '../../src/index.ts';

type Block = JsonObject & { readonly type?: string };

/** The reason why the real APIs would refuse this conversation: a use of a tool without its result right behind it, or a result of nothing. */
export function conversationFault(messages: readonly JsonObject[]): string | undefined {
  const open = new Set<string>();
  for (const message of messages) {
    const results = resultsIn(message);
    const stray = results.find((id) => !open.has(id));
    if (stray !== undefined) return `A result for ${stray}, which is no open use of a tool.`;
    for (const id of results) open.delete(id);
    // The API of OpenAI has a message for each result; that of Anthropic wants all of them in the next one.
    if (open.size > 0 && message['role'] !== 'tool') return `No result right behind the uses ${[...open].join(', ')}.`;
    for (const id of usesIn(message)) open.add(id);
  }
  return open.size === 0 ? undefined : `No result for the uses ${[...open].join(', ')}.`;
}

const blocksOf = ({ content }: JsonObject): readonly Block[] => (Array.isArray(content) ? (content as Block[]) : []);

const idOf = (id: unknown): string => (typeof id === 'string' ? id : JSON.stringify(id));

function usesIn(message: JsonObject): string[] {
  const calls = Array.isArray(message['tool_calls']) ? (message['tool_calls'] as JsonObject[]) : [];
  const uses = blocksOf(message).filter(({ type }) => type === 'tool_use');
  return [...calls, ...uses].map(({ id }) => idOf(id));
}

function resultsIn(message: JsonObject): string[] {
  if (message['role'] === 'tool') return [idOf(message['tool_call_id'])];
  return blocksOf(message).flatMap(({ type, tool_use_id: id }) => (type === 'tool_result' ? [idOf(id)] : []));
}
