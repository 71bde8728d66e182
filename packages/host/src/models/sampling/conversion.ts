/** Requests of servers (`sampling/createMessage`) as requests to a model, and its answers back. */
import type { ContentBlock, CreateMessageResult, SamplingMessage } from 'crosspoint/client';
import type { SamplingRequest } from '../../context/sampling.ts';
import type { ContextEntry } from '../../context/server-context.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import type {
  ModelBlock,
  ModelMessage,
  ModelRequest,
  ModelResponse,
  ModelStopReason,
  ResultBlock,
  ToolUseBlock,
} from '../model.ts';
import type { ToolNames } from './tool-names.ts';

type SamplingBlock = Exclude<SamplingMessage['content'], readonly unknown[]>;

export function modelRequest(
  request: SamplingRequest,
  {
    model,
    names,
    context,
  }: { readonly model: string; readonly names: ToolNames; readonly context: readonly ContextEntry[] },
): ModelRequest {
  const { messages, maxTokens, systemPrompt, temperature, stopSequences, tools = [], toolChoice } = request;
  const mode = toolChoice?.mode ?? 'auto';
  return {
    model,
    maxTokens,
    ...(systemPrompt !== undefined && { system: systemPrompt }),
    messages: [...contextMessages(context), ...messages.map((message) => modelMessage(message, names))],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        name: names.toModel(name),
        ...(description !== undefined && { description }),
        inputSchema: inputSchema as JsonObject,
      })),
      toolChoice: mode === 'required' ? 'any' : mode,
    }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stopSequences }),
  };
}

/** The calls of this conversation, as words of the user that the model does not have to obey. */
function contextMessages(context: readonly ContextEntry[]): ModelMessage[] {
  if (context.length === 0) return [];
  const lines = context.map(
    ({ server, tool, arguments: args, result }) =>
      `The tool ${tool} of ${server} was called with ${args} and answered:\n${result}`,
  );
  const text = `Context of the conversation, for information:\n\n${lines.join('\n\n')}`;
  return [{ role: 'user', content: [{ type: 'text', text }] }];
}

function modelMessage({ role, content }: SamplingMessage, names: ToolNames): ModelMessage {
  const blocks = Array.isArray(content) ? content : [content];
  return {
    role: role === 'assistant' ? 'assistant' : 'user',
    content: blocks.flatMap((block) => modelBlock(block, names)),
  };
}

function modelBlock(block: SamplingBlock, names: ToolNames): ModelBlock[] {
  switch (block.type) {
    case 'text':
    case 'image':
    case 'audio':
      return resultBlock(block);
    case 'tool_use':
      return [
        {
          type: 'tool-use',
          id: block.id,
          name: names.toModel(block.name),
          input: block.input as JsonObject,
          ...(block._meta !== undefined && { meta: block._meta as JsonObject }),
        },
      ];
    case 'tool_result': {
      const said = (block.content ?? []).flatMap(resultBlock);
      const structured = block.structuredContent;
      return [
        {
          type: 'tool-result',
          toolUseId: block.toolUseId,
          content:
            said.length > 0 || structured === undefined ? said : [{ type: 'text', text: JSON.stringify(structured) }],
          ...(block.isError === true && { isError: true }),
          ...(block._meta !== undefined && { meta: block._meta as JsonObject }),
        },
      ];
    }
    default:
      return [];
  }
}

function resultBlock(block: ContentBlock): ResultBlock[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'image':
    case 'audio':
      return [{ type: block.type, data: block.data, mimeType: block.mimeType }];
    case 'resource_link': {
      const { uri, title, mimeType } = block;
      return [
        { type: 'resource', uri, ...(title !== undefined && { title }), ...(mimeType !== undefined && { mimeType }) },
      ];
    }
    case 'resource': {
      const { uri, mimeType } = block.resource;
      const held = 'text' in block.resource ? { text: block.resource.text } : { blob: block.resource.blob };
      return [{ type: 'resource', uri, ...(mimeType !== undefined && { mimeType }), ...held }];
    }
    default:
      return [];
  }
}

const STOPS: Readonly<Record<ModelStopReason, string>> = {
  'end-turn': 'endTurn',
  'tool-use': 'toolUse',
  'max-tokens': 'maxTokens',
  'stop-sequence': 'stopSequence',
  refused: 'refusal',
  'context-overflow': 'maxTokens',
  paused: 'endTurn',
  other: 'endTurn',
};

/** An answer as its server gets it, and the uses of tools that were left out of it. */
export interface ServerAnswer {
  readonly result: CreateMessageResult;
  readonly leftOut: readonly string[];
}

/** The answer of a model for the server that asked. Uses of tools that are not the server's own, and thoughts, are left out. */
export function serverAnswer(response: ModelResponse, request: SamplingRequest, names: ToolNames): ServerAnswer {
  const mayUse = request.toolChoice?.mode !== 'none';
  const uses = response.content.filter((block): block is ToolUseBlock => block.type === 'tool-use');
  const own = uses.filter((use) => mayUse && names.toServer(use.name) !== undefined && use.faultyInput === undefined);
  const leftOut = uses.filter((use) => !own.includes(use)).map(({ name }) => name);
  const said = response.content.flatMap((block): SamplingBlock[] => {
    if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }];
    if (block.type === 'image' || block.type === 'audio')
      return [{ type: block.type, data: block.data, mimeType: block.mimeType }];
    return [];
  });
  const blocks = own.length > 0 || said.some(({ type }) => type !== 'text') ? said : [joined(said)];
  const content = [...blocks, ...own.map((use) => samplingUse(use, names))];
  const [only] = content;
  const stopReason = response.stopReason === 'tool-use' && own.length === 0 ? 'endTurn' : STOPS[response.stopReason];
  return {
    result: {
      role: 'assistant',
      model: response.model,
      content: content.length === 1 && only !== undefined ? only : content,
      stopReason,
    },
    leftOut,
  };
}

/** One block for all words: most revisions have room for no more. */
function joined(said: readonly SamplingBlock[]): SamplingBlock {
  return { type: 'text', text: said.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('') };
}

function samplingUse({ id, name, input, meta }: ToolUseBlock, names: ToolNames): SamplingBlock {
  return {
    type: 'tool_use',
    id,
    name: names.toServer(name) ?? name,
    input: { ...(input as Record<string, Json>) },
    ...(meta !== undefined && { _meta: { ...meta } }),
  };
}
