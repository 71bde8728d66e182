import { isJsonObject, type CacheHints } from 'crosspoint/internal';
import { declares, type JsonObject, type Resource } from 'crosspoint';
import type { ParseFrontmatter } from '../extension/front-matter.ts';
import { skillFault } from '../extension/skill-entry.ts';
import { digestOf, limitFault, SKILL_LIMITS, type Skill, type SkillLimits } from '../extension/skill.ts';
import {
  RESOURCES_DIRECTORY_READ_METHOD,
  SKILLS_EXTENSION_ID,
  SKILLS_GET_METHOD,
  SKILLS_LIST_METHOD,
} from '../extension/skills-extension.ts';
import type { TransportClient } from 'crosspoint/client/stdio';
import { ProtocolError, TransportError, type CacheableRequestOptions, type RequestOptions } from 'crosspoint/client';
import { resolveReference } from './skill-reference.ts';
import { SkillVerificationError } from './skill-verification-error.ts';
import { verifyFile, type SkillFile } from './verify-file.ts';

export interface SkillsClientOptions {
  /** Parses the YAML of front matter; replaces the built-in parser. */
  readonly parseFrontmatter?: ParseFrontmatter;
  /** Return invalid entries in `invalid`. When absent, `list` rejects for them. */
  readonly skipInvalid?: boolean;
  /** Largest skill accepted; 512 files and 16 MiB when absent, which every host must accept. */
  readonly limits?: Partial<SkillLimits>;
}

/** An invalid entry, and why it is invalid. */
export interface InvalidSkillEntry {
  readonly index: number;
  readonly uri?: string;
  readonly reason: string;
}

export interface SkillListing extends CacheHints {
  readonly skills: readonly Skill[];
  readonly invalid: readonly InvalidSkillEntry[];
}

const MAX_PAGES = 1000;

/**
 * The skills of the server that a client is connected to. Listing reads no file. A file is read on demand and returned only if it matches
 * the entry of its skill. The host keeps track of approvals, origins and permissions.
 */
export class SkillsClient {
  readonly #client: TransportClient;
  readonly #options: SkillsClientOptions;
  readonly #limits: SkillLimits;

  constructor(client: TransportClient, options: SkillsClientOptions = {}) {
    this.#client = client;
    this.#options = options;
    this.#limits = { ...SKILL_LIMITS, ...options.limits };
  }

  /** Whether the server has declared skills. */
  get supported(): boolean {
    return declares(this.#client.getServerCapabilities() ?? {}, SKILLS_EXTENSION_ID);
  }

  /** Whether the server lists directories. */
  get directoryRead(): boolean {
    const settings = this.#client.getServerCapabilities()?.extensions?.[SKILLS_EXTENSION_ID];
    return this.supported && settings?.['directoryRead'] === true;
  }

  /** All entries, over all pages; none when the server has not declared skills. A server may omit skills that `get` finds. */
  async list(options?: RequestOptions): Promise<SkillListing> {
    if (!this.supported) return { skills: [], invalid: [] };
    const { items, hints } = await this.#pages(SKILLS_LIST_METHOD, 'skills', {}, options);
    const { skills, invalid } = sortOut(items);
    if (invalid.length > 0 && this.#options.skipInvalid !== true)
      throw new TransportError(
        'invalid-result',
        `The server lists skills that are not valid: ${invalid.map(({ uri, index, reason }) => `${uri ?? `entry ${index}`}: ${reason}`).join('; ')}.`,
      );
    return { skills, invalid, ...hints };
  }

  /** One skill by the URI of its `SKILL.md`, listed or not. */
  async get(uri: string, options?: RequestOptions): Promise<Skill> {
    this.#require(SKILLS_GET_METHOD, this.supported);
    const { skill } = await this.#client.request({ method: SKILLS_GET_METHOD, params: { uri } }, options);
    const fault = isJsonObject(skill) && skill['uri'] !== uri ? 'it is of another skill' : skillFault(skill);
    if (fault !== undefined)
      throw new TransportError('invalid-result', `The server's entry for the skill ${uri} is not valid: ${fault}.`);
    return skill as object as Skill;
  }

  /**
   * Reads a file of a skill and verifies it. `reference` is a path from the skill's directory, or a URI; the `SKILL.md` when absent. A file
   * that the entry does not list is refused without a request. Rejects with `SkillVerificationError`.
   */
  async read(skill: Skill, reference?: string, options: CacheableRequestOptions = {}): Promise<SkillFile> {
    const fault = skillFault(skill);
    if (fault !== undefined) throw new TypeError(`This is not the entry of a skill: ${fault}.`);
    const uri = resolveReference(skill, reference);
    if (uri === undefined)
      throw new SkillVerificationError(
        'unlisted',
        reference ?? skill.uri,
        `${reference} is not a file of the skill ${skill.uri}.`,
      );
    const excess = limitFault(skill.resources, this.#limits);
    if (excess !== undefined)
      throw new SkillVerificationError('limit', uri, `The skill ${skill.uri} exceeds the limits: ${excess}.`);
    return this.#readVerified(skill, uri, options);
  }

  /**
   * Lists the entries directly in a directory, for a server with `directoryRead`. Files not listed in the entry of a skill stay unreadable.
   */
  async readDirectory(uri: string, options?: RequestOptions): Promise<readonly Resource[]> {
    this.#require(RESOURCES_DIRECTORY_READ_METHOD, this.directoryRead);
    const { items } = await this.#pages(RESOURCES_DIRECTORY_READ_METHOD, 'resources', { uri }, options);
    return items.filter(
      (item): item is JsonObject => isJsonObject(item) && typeof item['uri'] === 'string',
    ) as object as Resource[];
  }

  async #readVerified(skill: Skill, uri: string, options: CacheableRequestOptions): Promise<SkillFile> {
    const result = await this.#client.readResource({ uri }, options);
    const contents = result.contents.find((item) => item.uri === uri) ?? result.contents[0];
    if (contents === undefined)
      throw new TransportError('invalid-result', `The server returned no contents for ${uri}.`);
    const { parseFrontmatter } = this.#options;
    try {
      return await verifyFile(skill, uri, contents, { limits: this.#limits, parseFrontmatter });
    } catch (error) {
      // The cached file may be older than the entry: it is read again, once.
      const mayBeOld = (result.ttlMs ?? 0) > 0 && (options.cacheMode ?? 'use') === 'use';
      if (!(error instanceof SkillVerificationError) || !mayBeOld) throw error;
      return this.#readVerified(skill, uri, { ...options, cacheMode: 'refresh' });
    }
  }

  async #pages(
    method: string,
    member: string,
    params: JsonObject,
    options: RequestOptions | undefined,
  ): Promise<{ items: unknown[]; hints: CacheHints }> {
    const items: unknown[] = [];
    const seen = new Set<string>();
    let hints: CacheHints = {};
    for (let cursor: string | undefined, page = 0; page < MAX_PAGES; page += 1) {
      const result = await this.#client.request(
        { method, params: cursor === undefined ? params : { ...params, cursor } },
        options,
      );
      if (!Array.isArray(result[member]))
        throw new TransportError('invalid-result', `The server answered ${method} without a list of ${member}.`);
      items.push(...(result[member] as unknown[]));
      if (page === 0) hints = hintsIn(result);
      const next = result['nextCursor'];
      if (typeof next !== 'string') return { items, hints };
      if (seen.has(next)) break;
      seen.add(next);
      cursor = next;
    }
    throw new TransportError('invalid-result', `The pages of ${method} never end.`);
  }

  #require(method: string, isThere: boolean): void {
    if (isThere) return;
    const what = method === RESOURCES_DIRECTORY_READ_METHOD ? 'directoryRead of the extension' : 'the extension';
    throw new ProtocolError(
      'method-not-found',
      `The server does not offer ${method}: it has not declared ${what} ${SKILLS_EXTENSION_ID}.`,
    );
  }
}

/**
 * The key that an approval is bound to: a digest of the skill's URI and of every file's URI and digest. When the key differs from the
 * approved one, the skill has changed and the approval is void. `undefined` for a `dynamic` skill, whose content cannot be bound.
 */
export async function approvalKey({ uri, resources }: Skill): Promise<string | undefined> {
  if (resources === 'dynamic') return undefined;
  const files = resources.map((file) => [file.uri, file.digest]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return digestOf(new TextEncoder().encode(JSON.stringify([uri, files])));
}

/** Entries that share a URI are all invalid, since the URI no longer identifies one. */
function sortOut(items: readonly unknown[]): { skills: Skill[]; invalid: InvalidSkillEntry[] } {
  const uris = items.map((item) => (isJsonObject(item) && typeof item['uri'] === 'string' ? item['uri'] : undefined));
  const counts = new Map<string | undefined, number>();
  for (const uri of uris) counts.set(uri, (counts.get(uri) ?? 0) + 1);
  const skills: Skill[] = [];
  const invalid: InvalidSkillEntry[] = [];
  items.forEach((item, index) => {
    const uri = uris[index];
    const isRepeated = uri !== undefined && counts.get(uri) !== 1;
    const reason = isRepeated ? 'it is listed more than once' : skillFault(item);
    if (reason === undefined) skills.push(item as Skill);
    else invalid.push({ index, ...(uri !== undefined && { uri }), reason });
  });
  return { skills, invalid };
}

function hintsIn({ ttlMs, cacheScope }: JsonObject): CacheHints {
  return {
    ...(typeof ttlMs === 'number' && { ttlMs }),
    ...((cacheScope === 'public' || cacheScope === 'private') && { cacheScope }),
  };
}
