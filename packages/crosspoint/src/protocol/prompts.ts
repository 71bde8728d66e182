import type { JsonObject } from '../jsonrpc/message.ts';
import type { ContentBlock, Role } from './content.ts';
import type { Icon } from './implementation.ts';
import type { CacheHints, Page } from './listing.ts';

export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

export interface Prompt {
  name: string;
  title?: string;
  description?: string;
  icons?: Icon[];
  arguments?: PromptArgument[];
  _meta?: JsonObject;
}

export interface ListPromptsResult extends Page, CacheHints {
  prompts: Prompt[];
}

export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

export interface GetPromptResult {
  description?: string;
  messages: PromptMessage[];
  _meta?: JsonObject;
}
