import { sha256Hex, type Bytes, type CacheHints, type Page } from 'crosspoint/internal';

/** A file of a skill, with the digest and size by which its content is checked. */
export interface SkillResource {
  uri: string;
  /** SHA-256 of its bytes: `sha256:` and 64 hexadecimal digits in lower case. */
  digest: string;
  /** Size in bytes. */
  size: number;
}

/** The front matter of a `SKILL.md`, as JSON. */
export interface SkillFrontmatter {
  name: string;
  description: string;
  [field: string]: unknown;
}

/** The entry of a skill: everything known of it before a file is read. */
export interface Skill {
  /** The URI of its `SKILL.md`. */
  uri: string;
  frontmatter: SkillFrontmatter;
  /** All files of the skill, `SKILL.md` included; or `dynamic` where the content is made as it is read. */
  resources: SkillResource[] | 'dynamic';
}

export interface ListSkillsResult extends Page, CacheHints {
  skills: Skill[];
}

export interface GetSkillResult extends CacheHints {
  skill: Skill;
}

/** The size of a skill that every host accepts; a host may refuse a larger one. */
export interface SkillLimits {
  readonly files: number;
  readonly bytes: number;
}

export const SKILL_LIMITS: SkillLimits = Object.freeze({ files: 512, bytes: 16 * 1024 * 1024 });

/** The type of a resource that is a directory. */
export const DIRECTORY_MIME_TYPE = 'inode/directory';

/** Returns the limit that a skill exceeds, or `undefined`. */
export function limitFault(resources: Skill['resources'], { files, bytes }: SkillLimits): string | undefined {
  if (resources === 'dynamic') return undefined;
  if (resources.length > files) return `it has ${resources.length} files, and ${files} are the limit`;
  const total = resources.reduce((sum, { size }) => sum + size, 0);
  return total > bytes ? `its files have ${total} bytes, and ${bytes} are the limit` : undefined;
}

/** The digest of a file's bytes, as an entry of a skill names it. */
export async function digestOf(bytes: Bytes): Promise<string> {
  return `sha256:${await sha256Hex(bytes)}`;
}
