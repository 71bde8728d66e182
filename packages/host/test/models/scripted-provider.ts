import type { ModelInfo, ModelProvider, ModelRequest, ModelResponse } from '../../src/models/index.ts';

export interface ScriptedProvider extends ModelProvider {
  readonly requests: ModelRequest[];
}

const ANSWER: ModelResponse = {
  model: '',
  content: [{ type: 'text', text: 'Good day.' }],
  stopReason: 'end-turn',
  usage: { inputTokens: 20, outputTokens: 10, cachedTokens: 0, cacheWriteTokens: 0 },
};

/** A provider of this process that gives one answer again and again. */
export function scriptedProvider(
  models: readonly ModelInfo[],
  answer: Partial<ModelResponse> | ((request: ModelRequest) => Partial<ModelResponse> | Promise<ModelResponse>) = {},
  name = 'scripted',
): ScriptedProvider {
  const requests: ModelRequest[] = [];
  return {
    name,
    requests,
    models: () => models,
    complete: async (request) => {
      requests.push(request);
      const given = await (typeof answer === 'function' ? answer(request) : answer);
      return { ...ANSWER, model: request.model, ...given };
    },
  };
}
