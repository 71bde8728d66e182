import type { ClientCapabilities } from 'crosspoint';
import type { CreateMessageRequestParams, SamplingMessage } from '../../types.ts';

type Block = { type: string; id?: unknown; toolUseId?: unknown };

/** The reason that a request for a message cannot be sent to a client, in the words of v1; `undefined` when it can. */
export function samplingFault(
  { messages, tools, toolChoice }: CreateMessageRequestParams,
  capabilities: ClientCapabilities | undefined,
): string | undefined {
  if ((tools || toolChoice) && !capabilities?.sampling?.tools)
    return 'Client does not support sampling tools capability.';
  const last = blocksOf(messages.at(-1));
  const uses = blocksOf(messages.at(-2)).filter(({ type }) => type === 'tool_use');
  const results = last.filter(({ type }) => type === 'tool_result');
  if (results.length > 0) {
    if (results.length < last.length) return 'The last message must contain only tool_result content if any is present';
    if (uses.length === 0) return 'tool_result blocks are not matching any tool_use from the previous message';
  }
  if (uses.length === 0) return undefined;
  const used = new Set(uses.map(({ id }) => id));
  const answered = new Set(results.map(({ toolUseId }) => toolUseId));
  return used.size === answered.size && [...used].every((id) => answered.has(id))
    ? undefined
    : 'ids of tool_result blocks and tool_use blocks from previous message do not match';
}

function blocksOf(message: SamplingMessage | undefined): readonly Block[] {
  if (message === undefined) return [];
  const { content } = message;
  return Array.isArray(content) ? content : [content];
}
