/** The neutral conversation in the words of OpenAI's Chat Completions API, and its answers back. */
import { randomUUID } from 'node:crypto';
import type OpenAI from 'openai';
import { shapeSchema } from '../../catalogue/exports/shape-schema.ts';
import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import type {
  ModelMessage,
  ModelRequest,
  ModelResponse,
  ModelStopReason,
  ResultBlock,
  TextBlock,
  ToolChoice,
  ToolResultBlock,
  ToolUseBlock,
} from '../model.ts';
import { tokensOf } from '../usage.ts';
import type { AnswerBuilder } from './answer-builder.ts';
import { isPlainImage, opened, unseen } from './plain-content.ts';
import { safeId } from './safe-id.ts';

type Params = OpenAI.ChatCompletionCreateParamsStreaming;
type Message = OpenAI.ChatCompletionMessageParam;
type Part = OpenAI.ChatCompletionContentPart;
type WireTool = OpenAI.ChatCompletionFunctionTool;
type WireUse = OpenAI.ChatCompletionMessageFunctionToolCall;

/** The ways in which endpoints of this API differ. */
export interface ChatDialect {
  /** The name under which thoughts were kept. */
  readonly provider: string;
  /** The member that limits the answer. */
  readonly tokenLimit: 'max_tokens' | 'max_completion_tokens';
  /** Whether the thoughts of the model go back to it. */
  readonly returnsReasoning: boolean;
  /** Whether usage is asked for at the end of the stream. */
  readonly asksUsage: boolean;
}

/** The member of a use's `meta` that holds what an endpoint sent along with it, such as the signature of a thought. */
const EXTRA = 'openai/extra_content';
const MOST_STOPS = 4;
const LONGEST_DESCRIPTION = 1024;
const SOUNDS: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
};

export function chatParams(request: ModelRequest, dialect: ChatDialect): Params {
  const { model, system, messages, tools = [], maxTokens, temperature, stopSequences = [] } = request;
  return {
    model,
    stream: true,
    ...(dialect.asksUsage && { stream_options: { include_usage: true } }),
    [dialect.tokenLimit]: maxTokens,
    messages: [
      ...(system === undefined || system.trim() === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...messages.flatMap((message) => wireMessages(message, dialect)),
    ],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }): WireTool => ({
        type: 'function',
        function: {
          name,
          ...(description !== undefined && { description: description.slice(0, LONGEST_DESCRIPTION) }),
          parameters: { ...shapeSchema(inputSchema).schema },
        },
      })),
      ...(request.toolChoice !== undefined && { tool_choice: wireChoice(request.toolChoice) }),
      ...(request.parallelTools === false && { parallel_tool_calls: false }),
    }),
    ...(temperature !== undefined && { temperature: Math.min(Math.max(temperature, 0), 2) }),
    ...(stopSequences.length > 0 && { stop: stopSequences.slice(0, MOST_STOPS) }),
  };
}

function wireChoice(choice: ToolChoice): OpenAI.ChatCompletionToolChoiceOption {
  if (choice === 'any') return 'required';
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function wireMessages(message: ModelMessage, dialect: ChatDialect): Message[] {
  return message.role === 'assistant' ? assistantMessages(message, dialect) : userMessages(message);
}

function assistantMessages({ content }: ModelMessage, dialect: ChatDialect): Message[] {
  const words = content.flatMap((block) => (isResult(block) ? [textOf(block)] : []));
  const uses = content.flatMap((block) => (block.type === 'tool-use' ? [wireUse(block)] : []));
  const thoughts = content.flatMap((block) =>
    block.type === 'reasoning' && block.provider === dialect.provider && typeof block.data === 'string'
      ? [block.data]
      : [],
  );
  const text = words.join('\n');
  if (text === '' && uses.length === 0) return [];
  const message: OpenAI.ChatCompletionAssistantMessageParam & { reasoning_content?: string } = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(uses.length > 0 && { tool_calls: uses }),
    ...(dialect.returnsReasoning && thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
  };
  return [message];
}

function wireUse({ id, name, input, faultyInput, meta }: ToolUseBlock): WireUse {
  const extra = meta?.[EXTRA];
  return {
    id: safeId(id),
    type: 'function',
    function: { name, arguments: faultyInput ?? JSON.stringify(input) },
    ...(isObject(extra) && { extra_content: extra }),
  };
}

/** Results of tools are messages of their own, of text alone, right behind the message that asked for them. Their pictures follow. */
function userMessages({ content }: ModelMessage): Message[] {
  const results = content.filter((block): block is ToolResultBlock => block.type === 'tool-result');
  const pictures = results.flatMap(({ toolUseId, content: blocks }) => {
    const parts = blocks.flatMap(wirePart).filter(({ type }) => type !== 'text');
    return parts.length === 0 ? [] : [textPart(`Belongs to the result of ${safeId(toolUseId)}:`), ...parts];
  });
  const parts = [...pictures, ...content.filter(isResult).flatMap(wirePart)];
  return [
    ...results.map((result): Message => ({
      role: 'tool',
      tool_call_id: safeId(result.toolUseId),
      content: resultText(result),
    })),
    ...(parts.length === 0 ? [] : [{ role: 'user' as const, content: parts }]),
  ];
}

function resultText({ content, isError }: ToolResultBlock): string {
  const words = content.map((block) => {
    const [part] = wirePart(block);
    return part === undefined || part.type === 'text' ? (part?.text ?? '') : '(It follows in the next message.)';
  });
  const text = words.filter((word) => word !== '').join('\n');
  return isError === true ? `Error: ${text}` : text === '' ? '(no content)' : text;
}

function isResult(block: ModelMessage['content'][number]): block is ResultBlock {
  return block.type === 'text' || block.type === 'image' || block.type === 'audio' || block.type === 'resource';
}

function textOf(block: ResultBlock): string {
  const plain = opened(block);
  if (plain.type === 'text') return plain.text;
  return plain.type === 'resource' ? `Resource ${plain.uri}` : unseen(plain).text;
}

function textPart(text: string): Part & TextBlock {
  return { type: 'text', text };
}

function wirePart(given: ResultBlock): Part[] {
  const block = opened(given);
  if (block.type === 'text') return block.text === '' ? [] : [textPart(block.text)];
  if (block.type === 'resource')
    return [
      {
        type: 'file',
        file: { filename: fileName(block.uri), file_data: `data:application/pdf;base64,${block.blob ?? ''}` },
      },
    ];
  const mimeType = block.mimeType.toLowerCase();
  if (block.type === 'image')
    return isPlainImage(mimeType)
      ? [{ type: 'image_url', image_url: { url: `data:${mimeType};base64,${block.data}` } }]
      : [textPart(unseen(block).text)];
  const format = SOUNDS[mimeType];
  return format === undefined
    ? [textPart(unseen(block).text)]
    : [{ type: 'input_audio', input_audio: { data: block.data, format } }];
}

function fileName(uri: string): string {
  return (uri.split('/').at(-1) ?? '').replaceAll(/[^\w.-]/g, '_').slice(-100) || 'document.pdf';
}

const STOPS: Readonly<Record<string, ModelStopReason>> = {
  stop: 'end-turn',
  length: 'max-tokens',
  tool_calls: 'tool-use',
  function_call: 'tool-use',
  content_filter: 'refused',
};

/** Reads the chunks of one stream. */
export class ChatReader {
  readonly #returnsReasoning: boolean;
  #thoughts = '';
  #stop: string | undefined;
  #hasRefused = false;
  /** The ids of the uses, in their order, and which of them an index means. */
  readonly #uses: string[] = [];
  readonly #byIndex = new Map<number, number>();

  constructor({ returnsReasoning }: ChatDialect) {
    this.#returnsReasoning = returnsReasoning;
  }

  take(chunk: OpenAI.ChatCompletionChunk, builder: AnswerBuilder): void {
    builder.begin(chunk.model);
    if (isObject(chunk.usage)) this.#usage(chunk.usage, builder);
    const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
    if (choice === undefined) return;
    const delta: JsonObject = isObject(choice.delta) ? choice.delta : {};
    const thought = delta['reasoning_content'] ?? delta['reasoning'];
    if (typeof thought === 'string') {
      this.#thoughts += this.#returnsReasoning ? thought : '';
      builder.thoughts(thought);
    }
    builder.text(delta['content']);
    if (typeof delta['refusal'] === 'string' && delta['refusal'] !== '') {
      this.#hasRefused = true;
      builder.text(delta['refusal']);
    }
    for (const use of Array.isArray(delta['tool_calls']) ? (delta['tool_calls'] as readonly Json[]) : [])
      if (isObject(use)) this.#use(use, builder);
    if (typeof choice.finish_reason === 'string') this.#stop = choice.finish_reason;
  }

  end(builder: AnswerBuilder): ModelResponse | undefined {
    if (this.#stop === undefined) return undefined;
    if (this.#thoughts !== '') builder.keep(this.#thoughts);
    return builder.end(this.#hasRefused ? 'refused' : (STOPS[this.#stop] ?? 'other'), this.#stop);
  }

  /** A part of a tool's use. Endpoints differ: some number the uses, some give all of them one number, some give neither number nor id. */
  #use(use: JsonObject, builder: AnswerBuilder): void {
    const call: JsonObject = isObject(use['function']) ? use['function'] : {};
    const { name, arguments: written } = call;
    const { id, extra_content: extra } = use;
    const index = typeof use['index'] === 'number' ? use['index'] : undefined;
    let key = index === undefined ? this.#uses.length - 1 : this.#byIndex.get(index);
    const isOther = typeof id === 'string' && id !== '' && key !== undefined && id !== this.#uses[key];
    if (typeof name === 'string' && name !== '' && (key === undefined || index === undefined || isOther)) {
      const known = typeof id === 'string' && id !== '' ? id : `call_${randomUUID()}`;
      key = this.#uses.push(known) - 1;
      if (index !== undefined) this.#byIndex.set(index, key);
      builder.endText();
      builder.beginTool(key, { id: known, name });
    }
    if (key === undefined) return;
    if (extra !== undefined && isObject(extra)) builder.toolMeta(key, { [EXTRA]: extra });
    builder.toolArguments(key, isObject(written) ? JSON.stringify(written) : written);
  }

  #usage(usage: JsonObject, builder: AnswerBuilder): void {
    const details = usage['prompt_tokens_details'];
    builder.usage({
      inputTokens: tokensOf(usage['prompt_tokens']),
      outputTokens: tokensOf(usage['completion_tokens']),
      cachedTokens: tokensOf(isObject(details) ? details['cached_tokens'] : 0),
    });
  }
}
