import type { JsonObject } from '../jsonrpc/message.ts';
import type { AudioContent, ContentBlock, ImageContent, Role, TextContent } from './content.ts';
import type { Tool } from './tools.ts';

/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export interface ToolUseContent {
  type: 'tool_use';
  id: string;
  name: string;
  input: JsonObject;
  _meta?: JsonObject;
}

/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export interface ToolResultContent {
  type: 'tool_result';
  toolUseId: string;
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: JsonObject;
}

/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export interface SamplingMessage {
  role: Role;
  content: SamplingContent | SamplingContent[];
  _meta?: JsonObject;
}

/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export interface ModelPreferences {
  hints?: { name?: string }[];
  costPriority?: number;
  speedPriority?: number;
  intelligencePriority?: number;
}

/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export interface CreateMessageParams {
  messages: SamplingMessage[];
  maxTokens: number;
  modelPreferences?: ModelPreferences;
  systemPrompt?: string;
  /** @deprecated `thisServer` and `allServers` are deprecated by SEP-2596; the earliest removal is the first revision on or after 2027-07-28. */
  includeContext?: 'none' | 'thisServer' | 'allServers';
  temperature?: number;
  stopSequences?: string[];
  metadata?: JsonObject;
  tools?: Tool[];
  toolChoice?: { mode?: 'auto' | 'required' | 'none' };
  _meta?: JsonObject;
}

/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export interface CreateMessageResult {
  role: Role;
  content: SamplingContent | SamplingContent[];
  model: string;
  stopReason?: string;
  _meta?: JsonObject;
}
