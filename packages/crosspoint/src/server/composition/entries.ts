import type { PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../offering/registry.ts';

/** Mounted entries, by their keys on the server that mounts them. Their positions in lists are not decided yet. */
export interface MountedEntries {
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly resources: ReadonlyMap<string, ResourceEntry>;
  readonly templates: ReadonlyMap<string, TemplateEntry>;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
}

export const NO_ENTRIES: MountedEntries = {
  tools: new Map(),
  resources: new Map(),
  templates: new Map(),
  prompts: new Map(),
};

const PREFIX = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

/** Adds a prefix of letters, digits, `_` and `-`, which every host accepts in tool names. The empty prefix leaves names as they are. */
export function prefixer(prefix: string): (name: string) => string {
  if (prefix === '') return (name) => name;
  if (typeof prefix !== 'string' || !PREFIX.test(prefix))
    throw new TypeError(
      `A prefix is up to 32 letters, digits, "_" and "-", beginning with a letter or digit; this is "${prefix}".`,
    );
  return (name) => `${prefix}_${name}`;
}
