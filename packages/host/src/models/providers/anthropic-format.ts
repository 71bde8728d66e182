/** The neutral conversation in the words of Anthropic's Messages API, and its answers back. */
import type Anthropic from '@anthropic-ai/sdk';
import { shapeSchema } from '../../catalogue/exports/shape-schema.ts';
import type { Json } from '../../values/json.ts';
import type {
  ModelBlock,
  ModelRequest,
  ModelResponse,
  ModelStopReason,
  ResultBlock,
  ToolChoice,
  ToolResultBlock,
} from '../model.ts';
import { tokensOf } from '../usage.ts';
import type { AnswerBuilder } from './answer-builder.ts';
import { isPlainImage, opened, unseen } from './plain-content.ts';
import { safeId } from './safe-id.ts';

type Params = Anthropic.MessageCreateParamsStreaming;
type WireContent = Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam;

/** `provider` is the name under which thoughts were kept. The API takes no temperature. */
export function anthropicParams(request: ModelRequest, provider: string): Params {
  const { model, system, messages, tools, maxTokens } = request;
  const stops = request.stopSequences?.filter((text) => text.trim() !== '') ?? [];
  return {
    model,
    max_tokens: maxTokens,
    stream: true,
    ...(system !== undefined && system.trim() !== '' && { system }),
    messages: messages.flatMap(({ role, content }) => {
      const written = content.flatMap((block) =>
        role === 'user' ? wireBlocks(block, provider) : ownBlocks(block, provider),
      );
      return written.length === 0 ? [] : [{ role, content: written }];
    }),
    ...(tools !== undefined &&
      tools.length > 0 && {
        tools: tools.map(({ name, description, inputSchema }) => ({
          name,
          ...(description !== undefined && { description }),
          input_schema: shapeSchema(inputSchema).schema as Anthropic.Tool.InputSchema,
        })),
        ...wireChoice(request.toolChoice ?? 'auto', request.parallelTools ?? true),
      }),
    ...(stops.length > 0 && { stop_sequences: stops }),
  };
}

function wireChoice(choice: ToolChoice, isParallel: boolean): Pick<Params, 'tool_choice'> {
  if (choice === 'none') return { tool_choice: { type: 'none' } };
  const one = isParallel ? {} : { disable_parallel_tool_use: true };
  if (choice === 'auto') return isParallel ? {} : { tool_choice: { type: 'auto', ...one } };
  return { tool_choice: choice === 'any' ? { type: 'any', ...one } : { type: 'tool', name: choice.name, ...one } };
}

/** Blocks of the model's own messages: the API refuses documents and pictures there. */
function ownBlocks(block: ModelBlock, provider: string): Anthropic.ContentBlockParam[] {
  return wireBlocks(block, provider).map((one) =>
    one.type === 'document' || one.type === 'image' ? { type: 'text', text: `(${one.type})` } : one,
  );
}

function wireBlocks(block: ModelBlock, provider: string): Anthropic.ContentBlockParam[] {
  if (block.type === 'tool-use')
    return [{ type: 'tool_use', id: safeId(block.id), name: block.name, input: block.input }];
  if (block.type === 'tool-result') return [wireResult(block)];
  if (block.type === 'reasoning')
    return block.provider === provider ? [block.data as object as Anthropic.ContentBlockParam] : [];
  return wireContent(block);
}

function wireResult({ toolUseId, content, isError }: ToolResultBlock): Anthropic.ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: safeId(toolUseId),
    content: content.flatMap(wireContent),
    ...(isError === true && { is_error: true }),
  };
}

/** The API refuses empty texts, so there is nothing for one. */
function wireContent(given: ResultBlock): WireContent[] {
  const block = opened(given);
  if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }];
  if (block.type === 'resource')
    return [
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: block.blob ?? '' },
        title: (block.title ?? block.uri).slice(0, 500),
      },
    ];
  const { data, mimeType } = block;
  if (block.type === 'audio' || !isPlainImage(mimeType)) return [unseen(block)];
  const media_type = mimeType.toLowerCase() as Anthropic.Base64ImageSource['media_type'];
  return [{ type: 'image', source: { type: 'base64', media_type, data } }];
}

const STOPS: Readonly<Record<string, ModelStopReason>> = {
  end_turn: 'end-turn',
  max_tokens: 'max-tokens',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-use',
  pause_turn: 'paused',
  refusal: 'refused',
  model_context_window_exceeded: 'context-overflow',
};

/** A block that is kept as it is, for the provider alone. */
interface KeptBlock {
  readonly index: number;
  readonly data: Record<string, Json>;
}

/** Reads the events of one stream. */
export class AnthropicReader {
  #kept: KeptBlock | undefined;
  #stop: string | undefined;
  #category: string | undefined;
  #isOver = false;

  take(event: Anthropic.RawMessageStreamEvent, builder: AnswerBuilder): void {
    switch (event.type) {
      case 'message_start':
        builder.begin(event.message.model);
        return this.#usage(event.message.usage, builder);
      case 'content_block_start':
        return this.#start(event, builder);
      case 'content_block_delta':
        return this.#delta(event, builder);
      case 'content_block_stop':
        return this.#endBlock(event.index, builder);
      case 'message_delta':
        this.#stop = event.delta.stop_reason ?? this.#stop;
        this.#category = event.delta.stop_details?.category ?? undefined;
        return this.#usage(event.usage, builder);
      case 'message_stop':
        this.#isOver = true;
    }
  }

  end(builder: AnswerBuilder): ModelResponse | undefined {
    if (!this.#isOver) return undefined;
    const detail = this.#category === undefined ? this.#stop : `${this.#stop} (${this.#category})`;
    return builder.end(STOPS[this.#stop ?? ''] ?? 'other', detail);
  }

  #start({ index, content_block: block }: Anthropic.RawContentBlockStartEvent, builder: AnswerBuilder): void {
    if (block.type === 'text') return builder.text(block.text);
    if (block.type === 'tool_use') return builder.beginTool(index, { id: block.id, name: block.name });
    this.#kept = { index, data: { ...(block as object as Record<string, Json>) } };
  }

  #delta({ index, delta }: Anthropic.RawContentBlockDeltaEvent, builder: AnswerBuilder): void {
    if (delta.type === 'text_delta') return builder.text(delta.text);
    if (delta.type === 'input_json_delta') return builder.toolArguments(index, delta.partial_json);
    if (delta.type === 'thinking_delta') {
      builder.thoughts(delta.thinking);
      return this.#extend(index, 'thinking', delta.thinking);
    }
    if (delta.type === 'signature_delta') return this.#extend(index, 'signature', delta.signature);
  }

  #extend(index: number, member: string, more: string): void {
    if (this.#kept?.index !== index) return;
    const before = this.#kept.data[member];
    this.#kept.data[member] = `${typeof before === 'string' ? before : ''}${more}`;
  }

  #endBlock(index: number, builder: AnswerBuilder): void {
    builder.endText();
    builder.endTool(index);
    if (this.#kept?.index !== index) return;
    builder.keep(this.#kept.data);
    this.#kept = undefined;
  }

  /** Counts of a later event stand for the whole answer; those that it lacks stay as they were. */
  #usage(usage: Partial<Anthropic.Usage | Anthropic.MessageDeltaUsage> | undefined, builder: AnswerBuilder): void {
    if (usage === undefined) return;
    const { input_tokens: plain, output_tokens: output } = usage;
    const read = tokensOf(usage.cache_read_input_tokens);
    const written = tokensOf(usage.cache_creation_input_tokens);
    builder.usage({
      ...(typeof plain === 'number' && {
        inputTokens: tokensOf(plain) + read + written,
        cachedTokens: read,
        cacheWriteTokens: written,
      }),
      ...(typeof output === 'number' && { outputTokens: tokensOf(output) }),
    });
  }
}
