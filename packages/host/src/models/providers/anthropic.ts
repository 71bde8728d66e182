import type Anthropic from '@anthropic-ai/sdk';
import {
  ModelError,
  type CompleteOptions,
  type ModelInfo,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
} from '../model.ts';
import { AnthropicReader, anthropicParams } from './anthropic-format.ts';
import { keyOf, type ApiKey } from './api-key.ts';
import { infoOf, outputLimit, type ModelList } from './model-list.ts';
import { DEFAULT_IDLE_MS, streamAnswer } from './stream-answer.ts';

export interface AnthropicOptions {
  /** The models to offer, the preferred one first: names, or facts about them for choosing and for counting money. */
  readonly models: ModelList;
  /** The environment's `ANTHROPIC_API_KEY` when absent, unless `baseUrl` names another address. */
  readonly apiKey?: ApiKey;
  /** Another address that speaks the same API. */
  readonly baseUrl?: string;
  /** Milliseconds of silence after which a request is given up; 10 minutes when absent. */
  readonly idleMs?: number;
  /** Whether the model thinks before it answers; as the model does by itself when absent. Thoughts count as tokens of the answer. */
  readonly thinking?: 'adaptive' | 'disabled';
  /** Has the provider keep each request for the next one, which then costs less: for conversations of many messages; false when absent. */
  readonly caches?: boolean;
  /** The name of this provider; `anthropic` when absent. */
  readonly name?: string;
}

const PACKAGE = '@anthropic-ai/sdk';
const VARIABLE = 'ANTHROPIC_API_KEY';

/**
 * Models of Anthropic's Messages API, by the package `@anthropic-ai/sdk`, which is loaded with the first request.
 *
 * ```ts
 * const anthropic = anthropicProvider({ models: ['claude-sonnet-5-5'], apiKey: () => secrets.get('anthropic') });
 * const { content } = await anthropic.complete({ model: 'claude-sonnet-5-5', maxTokens: 500, messages });
 * ```
 */
export function anthropicProvider(options: AnthropicOptions): ModelProvider {
  const { name = 'anthropic', baseUrl, idleMs = DEFAULT_IDLE_MS, thinking, caches = false } = options;
  const models: readonly ModelInfo[] = options.models.map(infoOf);
  const variable = baseUrl === undefined ? VARIABLE : undefined;
  return {
    name,
    models: () => models,
    async complete(request: ModelRequest, given: CompleteOptions = {}): Promise<ModelResponse> {
      const key = await keyOf({ provider: name, apiKey: options.apiKey, variable });
      if (key === undefined)
        throw new ModelError(`There is no key for ${name}: give apiKey, or set ${VARIABLE}.`, {
          kind: 'auth',
          provider: name,
        });
      const client = await clientOf(name, key, baseUrl);
      const info = models.find((one) => one.name === request.model);
      const reader = new AnthropicReader();
      return streamAnswer(
        {
          open: (signal) =>
            client.messages.create(
              {
                ...anthropicParams(outputLimit(request, info), name),
                ...(thinking !== undefined && { thinking: { type: thinking } }),
                ...(caches && { cache_control: { type: 'ephemeral' } }),
              },
              { signal },
            ),
          take: (event, builder) => reader.take(event, builder),
          end: (builder) => reader.end(builder),
        },
        { provider: name, key, request, info, options: given, idleMs },
      );
    },
  };
}

async function clientOf(provider: string, key: string, baseUrl: string | undefined): Promise<Anthropic> {
  const library = await loaded(provider);
  return new library({
    apiKey: key,
    authToken: null,
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    // A redirect would take the request, and perhaps its key, to a place that nobody chose.
    fetchOptions: { redirect: 'error' },
  });
}

async function loaded(provider: string): Promise<typeof Anthropic> {
  try {
    return (await import('@anthropic-ai/sdk')).default;
  } catch {
    throw new ModelError(
      `${provider} cannot be used: the package ${PACKAGE} is not installed. Install it: npm install ${PACKAGE}.`,
      {
        kind: 'unavailable',
        provider,
      },
    );
  }
}
