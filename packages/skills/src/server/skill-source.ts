import type { Resource, ServerContext } from 'crosspoint';
import type { Skill } from '../extension/skill.ts';
import type { Awaitable, Bytes } from 'crosspoint/internal';

/** The content of a file of a skill. */
export type SkillContent =
  | { readonly text: string; readonly mimeType?: string }
  | { readonly bytes: Bytes; readonly mimeType?: string };

export interface SkillPage {
  readonly skills: readonly Skill[];
  readonly nextCursor?: string | undefined;
}

export interface DirectoryPage {
  readonly resources: readonly Resource[];
  readonly nextCursor?: string | undefined;
}

/** The source of a server's skills: a `SkillCatalog`, or one of your own that depends on the caller or makes content as it is read. */
export interface SkillSource {
  /** One page of skills. It may be empty, or leave skills out that `get` finds. */
  list(params: { readonly cursor?: string }, ctx: ServerContext): Awaitable<SkillPage>;
  /** The skill whose `SKILL.md` has this URI; `undefined` when there is none. */
  get(uri: string, ctx: ServerContext): Awaitable<Skill | undefined>;
  read(uri: string, ctx: ServerContext): Awaitable<SkillContent | undefined>;
  /** The direct content of a directory; `undefined` for a URI that is none. With this method, `directoryRead` is declared. */
  readDirectory?(
    uri: string,
    params: { readonly cursor?: string },
    ctx: ServerContext,
  ): Awaitable<DirectoryPage | undefined>;
  /** The resources that `resources/list` shows; none when absent. */
  listResources?(ctx: ServerContext): Awaitable<readonly Resource[]>;
}
