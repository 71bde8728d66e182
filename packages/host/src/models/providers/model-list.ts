import type { ModelInfo, ModelRequest } from '../model.ts';

/** The models of a provider: names, or facts about them. */
export type ModelList = readonly (string | ModelInfo)[];

export function infoOf(model: string | ModelInfo): ModelInfo {
  return typeof model === 'string' ? { name: model } : model;
}

/** The request with no more tokens than the model can answer with. */
export function outputLimit(request: ModelRequest, info: ModelInfo | undefined): ModelRequest {
  const most = info?.maxOutputTokens;
  return most === undefined || request.maxTokens <= most ? request : { ...request, maxTokens: most };
}
