import type { Resource } from 'crosspoint';
import { digestOf, SKILL_LIMITS, type Skill, type SkillLimits } from '../extension/skill.ts';
import { ProtocolError } from 'crosspoint/server';
import { scanSkills, type Scan, type ScannedFile, type SkillProblem } from './scan-skills.ts';
import type { SkillFiles } from './skill-files.ts';
import { directoriesOf, mimeTypeOf } from './skill-paths.ts';
import type { DirectoryPage, SkillContent, SkillPage, SkillSource } from './skill-source.ts';
import { SkillsExtension, type SkillsOptions } from './skills-extension.ts';

export interface SkillCatalogOptions extends SkillsOptions {
  /** A prefix for the names of the skills: with `acme`, a skill is at `skill://acme/<name>/SKILL.md`. */
  readonly prefix?: string;
  /** Entries on a page of a list; 100 when absent. */
  readonly pageSize?: number;
  /** Limits of one skill; 512 files and 16 MiB when absent, which every host accepts. */
  readonly limits?: Partial<SkillLimits>;
  /** Rejects `load` when one skill cannot be served. When absent, the others are served. */
  readonly strict?: boolean;
  /** Called for each skill that is not served; writes to the console when absent. */
  readonly onproblem?: (problem: SkillProblem) => void;
}

/** The differences that `reload` found, as URIs of `SKILL.md` files. */
export interface SkillCatalogChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Skills that cannot be served, and why. */
export class SkillCatalogError extends Error {
  override name = 'SkillCatalogError';
  readonly problems: readonly SkillProblem[];

  constructor(problems: readonly SkillProblem[]) {
    super(`Skills cannot be served. ${problems.map(({ path, message }) => `${path}: ${message}`).join(' ')}`);
    this.problems = problems;
  }
}

interface Shown extends Scan {
  readonly byUri: ReadonlyMap<string, Skill>;
  readonly directories: ReadonlyMap<string, readonly Resource[]>;
  readonly listed: readonly Resource[];
}

/** The skills found in files. It holds their entries and no contents: each file is read when it is requested. */
export class SkillCatalog extends SkillsExtension {
  readonly #found: FileSkillSource;
  #reloading: Promise<unknown> = Promise.resolve();

  /** Finds every folder with a `SKILL.md`. Rejects when the files cannot be read; with `strict`, also for an invalid skill. */
  static async load(files: SkillFiles, options: SkillCatalogOptions = {}): Promise<SkillCatalog> {
    const found = new FileSkillSource(files, options);
    found.shown = await found.scan();
    return new SkillCatalog(found, options);
  }

  private constructor(found: FileSkillSource, options: SkillCatalogOptions) {
    super({ ...options, source: found, baseUri: found.baseUri });
    this.#found = found;
  }

  /** The entries that clients see. */
  get entries(): readonly Skill[] {
    return this.#found.shown.skills;
  }

  /** Reads the files again. The new entries replace the old ones all at once, or not at all; changes are announced to clients. */
  reload(): Promise<SkillCatalogChanges> {
    const turn = this.#reloading.then(() => this.#reload());
    this.#reloading = turn.catch(() => {});
    return turn;
  }

  async #reload(): Promise<SkillCatalogChanges> {
    const before = this.#found.shown;
    const after = await this.#found.scan();
    this.#found.shown = after;
    const same = (skill: Skill): boolean => JSON.stringify(before.byUri.get(skill.uri)) === JSON.stringify(skill);
    const files = [...before.files.values()].filter(({ uri, digest }) => after.files.get(uri)?.digest !== digest);
    this.tellChanged(
      JSON.stringify(before.listed) !== JSON.stringify(after.listed),
      files.map(({ uri }) => uri),
    );
    return {
      added: after.skills.filter(({ uri }) => !before.byUri.has(uri)).map(({ uri }) => uri),
      removed: before.skills.filter(({ uri }) => !after.byUri.has(uri)).map(({ uri }) => uri),
      changed: after.skills.filter((skill) => before.byUri.has(skill.uri) && !same(skill)).map(({ uri }) => uri),
    };
  }
}

const NOTHING: Shown = {
  skills: [],
  files: new Map(),
  problems: [],
  byUri: new Map(),
  directories: new Map(),
  listed: [],
};

class FileSkillSource implements SkillSource {
  readonly baseUri: string;
  shown: Shown = NOTHING;
  readonly #files: SkillFiles;
  readonly #options: SkillCatalogOptions;
  readonly #pageSize: number;
  readonly #limits: SkillLimits;

  constructor(files: SkillFiles, options: SkillCatalogOptions) {
    const { prefix = '', pageSize = 100, limits } = options;
    if (!(pageSize >= 1)) throw new TypeError('pageSize of skills must be at least 1.');
    this.baseUri = prefix === '' ? 'skill://' : `skill://${prefix}/`;
    this.#files = files;
    this.#options = options;
    this.#pageSize = pageSize;
    this.#limits = { ...SKILL_LIMITS, ...limits };
  }

  async scan(): Promise<Shown> {
    const scan = await scanSkills(this.#files, { baseUri: this.baseUri, limits: this.#limits });
    const { strict = false, onproblem = warn } = this.#options;
    if (strict && scan.problems.length > 0) throw new SkillCatalogError(scan.problems);
    for (const problem of scan.problems) onproblem(problem);
    return {
      ...scan,
      byUri: new Map(scan.skills.map((skill) => [skill.uri, skill])),
      directories: directoriesOf(this.baseUri, scan.files.values()),
      listed: scan.skills.map((skill) => resourceOf(skill, scan.files)),
    };
  }

  list({ cursor }: { readonly cursor?: string }): SkillPage {
    const { values, nextCursor } = this.#page('skills', this.shown.skills, cursor);
    return { skills: values, nextCursor };
  }

  get(uri: string): Skill | undefined {
    return this.shown.byUri.get(uri);
  }

  async read(uri: string): Promise<SkillContent | undefined> {
    const file = this.shown.files.get(uri);
    if (file === undefined) return undefined;
    const bytes = await this.#files.read(file.path, file.size);
    if (bytes.byteLength !== file.size || (await digestOf(bytes)) !== file.digest)
      throw new ProtocolError(
        'internal',
        `${uri} has changed since its digest was published: the server has to reload() its skills.`,
      );
    const mimeType = mimeTypeOf(file.path);
    const content = decodeText(bytes);
    return { ...(content === undefined ? { bytes } : { text: content }), ...(mimeType !== undefined && { mimeType }) };
  }

  readDirectory(uri: string, { cursor }: { readonly cursor?: string }): DirectoryPage | undefined {
    const children = this.shown.directories.get(uri);
    if (children === undefined) return undefined;
    const { values, nextCursor } = this.#page(`directory ${uri}`, children, cursor);
    return { resources: values, nextCursor };
  }

  listResources(): readonly Resource[] {
    return this.shown.listed;
  }

  /** One page. A cursor is the URI of the last item seen, so that it stays valid when others come and go. */
  #page<T extends { readonly uri: string }>(
    list: string,
    items: readonly T[],
    cursor: string | undefined,
  ): { values: T[]; nextCursor: string | undefined } {
    const start = cursor === undefined ? 0 : firstAfter(items, readCursor(list, cursor));
    const values = items.slice(start, start + this.#pageSize);
    const last = values.at(-1);
    const isEnd = last === undefined || start + values.length >= items.length;
    return { values, nextCursor: isEnd ? undefined : btoa(encodeURIComponent(`${list} ${last.uri}`)) };
  }
}

function firstAfter(items: readonly { readonly uri: string }[], uri: string): number {
  const index = items.findIndex((item) => item.uri > uri);
  return index === -1 ? items.length : index;
}

function readCursor(list: string, cursor: string): string {
  try {
    const value = decodeURIComponent(atob(cursor));
    if (value.startsWith(`${list} `)) return value.slice(list.length + 1);
  } catch {
    // Not a cursor of this server.
  }
  throw new ProtocolError('invalid-params', 'The cursor was not made for this list.');
}

function resourceOf({ uri, frontmatter }: Skill, files: ReadonlyMap<string, ScannedFile>): Resource {
  const { name, description } = frontmatter;
  const size = files.get(uri)?.size;
  return { uri, name, description, mimeType: 'text/markdown', ...(size !== undefined && { size }) };
}

/** Decodes UTF-8; `undefined` for bytes that are no text. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function warn({ path, message }: SkillProblem): void {
  console.warn(`The skill ${path} is not served. ${message}.`);
}
