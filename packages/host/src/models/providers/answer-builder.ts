import { attempt } from '../../values/guard.ts';
import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import {
  ModelError,
  type CompleteOptions,
  type ModelBlock,
  type ModelEvent,
  type ModelInfo,
  type ModelResponse,
  type ModelStopReason,
  type ModelUsage,
  type ToolUseBlock,
} from '../model.ts';
import { NO_USAGE, priced } from '../usage.ts';

/** A use of a tool whose arguments are on their way. */
interface OpenTool {
  readonly id: string;
  readonly name: string;
  arguments: string;
  meta: JsonObject | undefined;
  isDone: boolean;
}

type Part = { text: string; isOpen: boolean } | { tool: OpenTool } | { block: ModelBlock };

/** Most characters of one answer: an endpoint that never stops is cut off here. */
const MOST_CHARACTERS = 16_000_000;

export interface BuilderOptions {
  readonly provider: string;
  readonly model: string;
  /** The model as the provider lists it, for its prices. */
  readonly info: ModelInfo | undefined;
  readonly onevent: CompleteOptions['onevent'];
}

/** Puts an answer together as its parts come in, and tells of each part. */
export class AnswerBuilder {
  readonly #options: BuilderOptions;
  readonly #parts: Part[] = [];
  readonly #tools = new Map<number, OpenTool>();
  #model: string;
  #usage = NO_USAGE;
  #room = MOST_CHARACTERS;
  #hasBegun = false;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#model = options.model;
  }

  /** Whether the provider has begun to answer. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  begin(model: unknown): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (typeof model === 'string' && model !== '') this.#model = model;
    this.#tell({ type: 'begin', model: this.#model });
  }

  text(more: unknown): void {
    if (typeof more !== 'string' || more === '') return;
    this.#take(more);
    const last = this.#parts.at(-1);
    if (last !== undefined && 'text' in last && last.isOpen) last.text += more;
    else this.#parts.push({ text: more, isOpen: true });
    this.#tell({ type: 'text', text: more });
  }

  /** The text that comes next is a block of its own. */
  endText(): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && 'text' in last) last.isOpen = false;
  }

  /** Thoughts, for those who watch. `keep` puts them into the answer. */
  thoughts(more: unknown): void {
    if (typeof more !== 'string' || more === '') return;
    this.#take(more);
    this.#tell({ type: 'reasoning', text: more });
  }

  /** Keeps something of the provider that has to go back to it as it is. */
  keep(data: Json): void {
    this.#parts.push({ block: { type: 'reasoning', provider: this.#options.provider, data } });
  }

  beginTool(key: number, tool: Pick<ToolUseBlock, 'id' | 'name' | 'meta'>): void {
    const { id, name, meta } = tool;
    this.#take(`${id}${name}`);
    const open: OpenTool = { id, name, meta, arguments: '', isDone: false };
    this.#tools.set(key, open);
    this.#parts.push({ tool: open });
    this.#tell({ type: 'tool-use-begun', id, name });
  }

  toolArguments(key: number, more: unknown): void {
    const tool = this.#tools.get(key);
    if (tool === undefined || tool.isDone || typeof more !== 'string' || more === '') return;
    this.#take(more);
    tool.arguments += more;
    this.#tell({ type: 'tool-use-arguments', id: tool.id, text: more });
  }

  toolMeta(key: number, meta: JsonObject): void {
    const tool = this.#tools.get(key);
    if (tool !== undefined) tool.meta = { ...tool.meta, ...meta };
  }

  endTool(key: number): void {
    const tool = this.#tools.get(key);
    if (tool === undefined || tool.isDone) return;
    tool.isDone = true;
    this.#tell({ type: 'tool-use-done', use: useOf(tool) });
  }

  usage(usage: Partial<ModelUsage>): void {
    this.#usage = priced({ ...this.#usage, ...usage }, this.#options.info);
    this.#tell({ type: 'usage', usage: this.#usage });
  }

  /** The answer is whole. */
  end(stopReason: ModelStopReason, stopDetail?: string): ModelResponse {
    for (const key of this.#tools.keys()) this.endTool(key);
    const content = this.#parts.map(blockOf);
    const response: ModelResponse = {
      model: this.#model,
      content,
      stopReason: stopReason === 'end-turn' && this.#tools.size > 0 ? 'tool-use' : stopReason,
      ...(stopDetail !== undefined && { stopDetail }),
      usage: this.#usage,
    };
    this.#tell({ type: 'end', response });
    return response;
  }

  /** The part of the answer that came, without uses of tools whose arguments are not whole. */
  partial(): Pick<ModelResponse, 'content' | 'usage'> {
    const whole = this.#parts.filter((part) => !('tool' in part) || part.tool.isDone);
    return { content: whole.map(blockOf), usage: this.#usage };
  }

  #take(text: string): void {
    this.#room -= text.length;
    if (this.#room >= 0) return;
    const { provider } = this.#options;
    throw new ModelError(`The answer of ${provider} has more than ${MOST_CHARACTERS} characters, and was cut off.`, {
      kind: 'interrupted',
      provider,
      partial: this.partial(),
    });
  }

  #tell(event: ModelEvent): void {
    attempt(() => this.#options.onevent?.(event));
  }
}

function blockOf(part: Part): ModelBlock {
  if ('text' in part) return { type: 'text', text: part.text };
  return 'tool' in part ? useOf(part.tool) : part.block;
}

function useOf({ id, name, arguments: written, meta }: OpenTool): ToolUseBlock {
  const input = inputOf(written);
  const kept = meta !== undefined && { meta };
  return input === undefined
    ? { type: 'tool-use', id, name, input: {}, faultyInput: written, ...kept }
    : { type: 'tool-use', id, name, input, ...kept };
}

/** The arguments of a tool; none at all is an empty object. `undefined` where they are no JSON object. */
function inputOf(written: string): JsonObject | undefined {
  if (written.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(written);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
