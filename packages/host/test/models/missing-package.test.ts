import { expect, it, vi } from 'vitest';
import { anthropicProvider, openAiProvider } from '../../src/models/index.ts';

const missing = vi.hoisted(() => () => {
  throw new Error('Cannot find package');
});
vi.mock('@anthropic-ai/sdk', missing);
vi.mock('openai', missing);

it('names the package to install where it is missing, and needs none before a request', async () => {
  const request = { model: 'm', maxTokens: 1, messages: [] };
  for (const [provider, name] of [
    [anthropicProvider({ models: ['m'], apiKey: 'k' }), '@anthropic-ai/sdk'],
    [openAiProvider({ models: ['m'], apiKey: 'k' }), 'openai'],
  ] as const) {
    expect(provider.models()).toEqual([{ name: 'm' }]);
    await expect(provider.complete(request)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining(`npm install ${name}`),
    });
  }
});
