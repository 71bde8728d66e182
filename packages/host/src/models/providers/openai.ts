import type OpenAI from 'openai';
import {
  ModelError,
  type CompleteOptions,
  type ModelInfo,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
} from '../model.ts';
import { keyOf, type ApiKey } from './api-key.ts';
import { infoOf, outputLimit, type ModelList } from './model-list.ts';
import { ChatReader, chatParams, type ChatDialect } from './openai-format.ts';
import { DEFAULT_IDLE_MS, streamAnswer } from './stream-answer.ts';

export interface OpenAiOptions {
  /** The models to offer, the preferred one first: names, or facts about them for choosing and for counting money. */
  readonly models: ModelList;
  /** The environment's `OPENAI_API_KEY` when absent, unless `baseUrl` names another address; that one then gets no key. */
  readonly apiKey?: ApiKey;
  /** Another address that speaks the same API: `http://127.0.0.1:11434/v1`. */
  readonly baseUrl?: string;
  /** Milliseconds of silence after which a request is given up; 10 minutes when absent. */
  readonly idleMs?: number;
  /** The name of this provider; `openai` when absent. */
  readonly name?: string;
  /** The member of a request that limits the answer; `max_completion_tokens` at OpenAI, `max_tokens` at every other address, when absent. */
  readonly tokenLimit?: 'max_tokens' | 'max_completion_tokens';
  /** Sends the thoughts of the model (`reasoning_content`) back to it, for endpoints that want them; false when absent. */
  readonly returnsReasoning?: boolean;
  /** Asks for the usage at the end of the stream; true when absent. Without usage, limits on tokens go by an estimate. */
  readonly asksUsage?: boolean;
}

const PACKAGE = 'openai';
const VARIABLE = 'OPENAI_API_KEY';
/** Sent where an address needs no key: the library wants some text. */
const NO_KEY = 'none';

/**
 * Models of any address that speaks OpenAI's Chat Completions API, by the package `openai`, which is loaded with the first request.
 *
 * ```ts
 * const local = openAiProvider({ name: 'local', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3'] });
 * const { content } = await local.complete({ model: 'qwen3', maxTokens: 500, messages });
 * ```
 */
export function openAiProvider(options: OpenAiOptions): ModelProvider {
  const { name = 'openai', baseUrl, idleMs = DEFAULT_IDLE_MS } = options;
  const models: readonly ModelInfo[] = options.models.map(infoOf);
  const dialect: ChatDialect = {
    provider: name,
    tokenLimit: options.tokenLimit ?? (isOpenAi(baseUrl) ? 'max_completion_tokens' : 'max_tokens'),
    returnsReasoning: options.returnsReasoning ?? false,
    asksUsage: options.asksUsage ?? true,
  };
  const variable = baseUrl === undefined ? VARIABLE : undefined;
  return {
    name,
    models: () => models,
    async complete(request: ModelRequest, given: CompleteOptions = {}): Promise<ModelResponse> {
      const found = await keyOf({ provider: name, apiKey: options.apiKey, variable });
      if (found === undefined && baseUrl === undefined)
        throw new ModelError(`There is no key for ${name}: give apiKey, or set ${VARIABLE}.`, {
          kind: 'auth',
          provider: name,
        });
      const key = found ?? NO_KEY;
      const client = await clientOf(name, key, baseUrl);
      const info = models.find((one) => one.name === request.model);
      const reader = new ChatReader(dialect);
      return streamAnswer(
        {
          open: (signal) => client.chat.completions.create(chatParams(outputLimit(request, info), dialect), { signal }),
          take: (chunk, builder) => reader.take(chunk, builder),
          end: (builder) => reader.end(builder),
        },
        { provider: name, key, request, info, options: given, idleMs },
      );
    },
  };
}

function isOpenAi(baseUrl: string | undefined): boolean {
  const address = baseUrl ?? process.env['OPENAI_BASE_URL'];
  return address === undefined || (URL.canParse(address) && new URL(address).hostname === 'api.openai.com');
}

async function clientOf(provider: string, key: string, baseUrl: string | undefined): Promise<OpenAI> {
  const library = await loaded(provider);
  return new library({
    apiKey: key,
    ...(baseUrl !== undefined && { baseURL: baseUrl, organization: null, project: null }),
    maxRetries: 0,
    logLevel: 'off',
    fetchOptions: { redirect: 'error' },
  });
}

async function loaded(provider: string): Promise<typeof OpenAI> {
  try {
    return (await import('openai')).default;
  } catch {
    throw new ModelError(
      `${provider} cannot be used: the package ${PACKAGE} is not installed. Install it: npm install ${PACKAGE}.`,
      { kind: 'unavailable', provider },
    );
  }
}
