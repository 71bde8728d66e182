import { modelSampling, openAiProvider, type ModelProvider, type ModelResponse } from '../../src/models/index.ts';
import type { ServerContext } from 'crosspoint/server';
import { drive, MESSAGES, type Driver } from './host-callbacks.ts';

const RESPONSE: ModelResponse = {
  model: 'm',
  content: [{ type: 'text', text: 'Hi.' }],
  stopReason: 'end-turn',
  usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0 },
};
const PROVIDER: ModelProvider = {
  name: 'p',
  models: () => [{ name: 'm' }],
  complete: () => Promise.resolve(RESPONSE),
};
const asks = (ctx: ServerContext): Promise<unknown> =>
  ctx.sample({ messages: MESSAGES, maxTokens: 10, systemPrompt: 'Be kind.' });

export const MODELS: Readonly<Record<string, Driver>> = {
  admit: drive({
    options: (fault) => ({
      sampling: { ...modelSampling({ providers: [PROVIDER] }), admit: fault.in(() => ({ action: 'allow' as const })) },
    }),
    act: asks,
  }),
  'provider.models': drive({
    options: (fault) => ({
      sampling: modelSampling({ providers: [{ ...PROVIDER, models: fault.in(() => [{ name: 'm' }]) }] }),
    }),
    act: asks,
  }),
  'provider.complete': drive({
    options: (fault) => ({
      sampling: modelSampling({ providers: [{ ...PROVIDER, complete: fault.in(() => Promise.resolve(RESPONSE)) }] }),
    }),
    act: asks,
  }),
  'provider.apiKey': drive({
    options: (fault) => ({
      sampling: modelSampling({
        providers: [openAiProvider({ models: ['m'], baseUrl: 'http://127.0.0.1:9', apiKey: fault.in(() => 'k') })],
        retries: false,
      }),
    }),
    act: asks,
  }),
  systemPrompt: drive({
    options: (fault) => ({
      sampling: modelSampling({ providers: [PROVIDER], rules: [{ systemPrompt: fault.in(() => 'Be kind.') }] }),
    }),
    act: asks,
  }),
};
