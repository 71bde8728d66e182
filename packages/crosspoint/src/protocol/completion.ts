import type { JsonObject } from '../jsonrpc/message.ts';

export type CompletionReference =
  | { type: 'ref/prompt'; name: string; title?: string }
  | { type: 'ref/resource'; uri: string };

export interface CompleteParams {
  ref: CompletionReference;
  argument: { name: string; value: string };
  /** Values already chosen for other arguments. Absent in the revisions before it existed. */
  context?: { arguments?: Record<string, string> };
  _meta?: JsonObject;
}

export interface CompleteResult {
  completion: { values: string[]; total?: number; hasMore?: boolean };
  _meta?: JsonObject;
}

/** The protocol's limit on the values of one answer. */
export const MAX_COMPLETION_VALUES = 100;
