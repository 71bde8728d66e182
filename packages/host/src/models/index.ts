export {
  ModelError,
  type CompleteOptions,
  type MediaBlock,
  type ModelBlock,
  type ModelErrorFacts,
  type ModelErrorKind,
  type ModelEvent,
  type ModelInfo,
  type ModelMessage,
  type ModelPrices,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type ModelStopReason,
  type ModelTool,
  type ModelUsage,
  type ReasoningBlock,
  type ResourceBlock,
  type ResultBlock,
  type TextBlock,
  type ToolChoice,
  type ToolResultBlock,
  type ToolUseBlock,
} from './model.ts';
export { anthropicProvider, type AnthropicOptions } from './providers/anthropic.ts';
export type { ApiKey } from './providers/api-key.ts';
export type { ModelList } from './providers/model-list.ts';
export { openAiProvider, type OpenAiOptions } from './providers/openai.ts';
export { withRetries, type RetriesOptions } from './retries.ts';
export {
  modelSampling,
  type ModelSampling,
  type ModelSamplingOptions,
  type SamplingRule,
} from './sampling/model-sampling.ts';
export type { SamplingLimits, SamplingUse } from './sampling/sampling-budget.ts';
