import type { TaskWish } from './tasks.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { ContentBlock } from './content.ts';
import type { CacheHints, Page } from './listing.ts';
import type { Icon } from './implementation.ts';

/** Hints, never guarantees: a host must not trust them from a server it does not trust. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export type TaskSupport = 'forbidden' | 'optional' | 'required';

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  icons?: Icon[];
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
  execution?: { taskSupport?: TaskSupport };
  _meta?: JsonObject;
}

export interface ListToolsResult extends Page, CacheHints {
  tools: Tool[];
}

export interface CallToolParams {
  name: string;
  arguments?: JsonObject;
  /** Asks for a task, in the revision where clients decide that. */
  task?: TaskWish;
  _meta?: JsonObject;
}

export interface CallToolResult {
  content: ContentBlock[];
  /** Any JSON value in the newest revision, an object in the older ones. */
  structuredContent?: unknown;
  /** Absent means success. */
  isError?: boolean;
  _meta?: JsonObject;
}

/** The hints with the protocol's defaults filled in. `destructive` and `idempotent` mean something only when not read-only. */
export function effectiveAnnotations(tool: Pick<Tool, 'annotations'>): Required<Omit<ToolAnnotations, 'title'>> {
  const {
    readOnlyHint = false,
    destructiveHint = true,
    idempotentHint = false,
    openWorldHint = true,
  } = tool.annotations ?? {};
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
}

/** The name to show a person: the title, then the annotation's title, then the name. */
export function displayName(item: { name: string; title?: string; annotations?: { title?: string } }): string {
  return item.title ?? item.annotations?.title ?? item.name;
}

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Whether a tool name follows the protocol's recommendation. Servers warn about other names; clients accept them. */
export function isRecommendedToolName(name: string): boolean {
  return TOOL_NAME.test(name);
}
