import type { Resource } from '../../protocol/resources.ts';
import type { Skill } from '../../extensions/skills/skill.ts';
import type { ServerContext } from '../calls/context.ts';
import type { Awaitable } from '../../runtime/awaitable.ts';

/** The content of a file of a skill. */
export type SkillContent =
  | { readonly text: string; readonly mimeType?: string }
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly mimeType?: string };

export interface SkillPage {
  readonly skills: readonly Skill[];
  readonly nextCursor?: string | undefined;
}

export interface DirectoryPage {
  readonly resources: readonly Resource[];
  readonly nextCursor?: string | undefined;
}

/** Where the skills of a server come from: a `SkillCatalog`, or something of your own that depends on the caller or makes content as it is read. */
export interface SkillSource {
  /** One page. It may be empty, or leave skills out: `get` knows them all the same. */
  list(params: { readonly cursor?: string }, ctx: ServerContext): Awaitable<SkillPage>;
  /** The skill whose `SKILL.md` has this URI; `undefined` when there is none. */
  get(uri: string, ctx: ServerContext): Awaitable<Skill | undefined>;
  read(uri: string, ctx: ServerContext): Awaitable<SkillContent | undefined>;
  /** What lies directly in a directory; `undefined` for what is none. Where it is there, `directoryRead` is declared. */
  readDirectory?(
    uri: string,
    params: { readonly cursor?: string },
    ctx: ServerContext,
  ): Awaitable<DirectoryPage | undefined>;
  /** What `resources/list` shows; nothing when absent. */
  listResources?(ctx: ServerContext): Awaitable<readonly Resource[]>;
}
