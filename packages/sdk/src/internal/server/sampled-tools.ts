import type { SamplingMessage, SamplingMessageContentBlock } from '../types/sampling.ts';

/** Refuses messages, in the words of v1, whose last one does not answer the tools that the one before it uses. */
export function refuseUnansweredTools(messages: readonly SamplingMessage[]): void {
  const [last, before] = [blocksOf(messages.at(-1)), blocksOf(messages.at(-2))];
  const used = new Set(before.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
  const results = last.filter((block) => block.type === 'tool_result');
  if (results.length > 0 && results.length < last.length)
    throw new Error('The last message must contain only tool_result content if any is present');
  if (results.length > 0 && used.size === 0)
    throw new Error('tool_result blocks are not matching any tool_use from the previous message');
  const answered = new Set(results.map(({ toolUseId }) => toolUseId));
  if (used.size > 0 && (used.size !== answered.size || [...used].some((id) => !answered.has(id))))
    throw new Error('ids of tool_result blocks and tool_use blocks from previous message do not match');
}

function blocksOf(message: SamplingMessage | undefined): readonly SamplingMessageContentBlock[] {
  if (message === undefined) return [];
  return Array.isArray(message.content) ? message.content : [message.content];
}
