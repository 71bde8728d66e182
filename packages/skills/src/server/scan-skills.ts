import { frontmatterFault } from '../extension/skill-entry.ts';
import { readManifest } from '../extension/front-matter.ts';
import { digestOf, limitFault, type Skill, type SkillFrontmatter, type SkillLimits } from '../extension/skill.ts';
import { uriOf } from './skill-paths.ts';
import type { SkillFiles } from './skill-files.ts';
import { errorMessage, type Bytes } from 'crosspoint/internal';

/** A reason why a skill is not served. `path` is the file or directory it was found at. */
export interface SkillProblem {
  readonly path: string;
  readonly message: string;
}

export interface ScannedFile {
  readonly path: string;
  readonly uri: string;
  readonly digest: string;
  readonly size: number;
}

export interface Scan {
  /** Skills in the order of their URIs. */
  readonly skills: readonly Skill[];
  /** The files of these skills, by URI. */
  readonly files: ReadonlyMap<string, ScannedFile>;
  readonly problems: readonly SkillProblem[];
}

export interface ScanOptions {
  readonly baseUri: string;
  readonly limits: SkillLimits;
}

const MANIFEST = 'SKILL.md';
const MAX_DEPTH = 32;
const MAX_ENTRIES = 50_000;

/** Finds every directory with a `SKILL.md` and makes an entry of it. A skill that cannot be served becomes a problem; the others are served. */
export async function scanSkills(files: SkillFiles, options: ScanOptions): Promise<Scan> {
  const scanner = new Scanner(files, options);
  await scanner.walk('', 0);
  return scanner.finish();
}

class Scanner {
  readonly #files: SkillFiles;
  readonly #options: ScanOptions;
  readonly #paths: string[] = [];
  readonly #unsupported: string[] = [];
  readonly #problems: SkillProblem[] = [];
  /** The files read so far; a file may belong to several skills, one inside the other. */
  readonly #read = new Map<string, ScannedFile>();
  readonly #manifests = new Map<string, SkillFrontmatter | string>();
  #seen = 0;

  constructor(files: SkillFiles, options: ScanOptions) {
    this.#files = files;
    this.#options = options;
  }

  async walk(directory: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) throw new Error(`The folders of skills are nested more than ${MAX_DEPTH} deep.`);
    for (const { name, kind } of await this.#files.list(directory)) {
      // Hidden files are for tools and secrets, and no part of a skill.
      if (name.startsWith('.')) continue;
      if ((this.#seen += 1) > MAX_ENTRIES)
        throw new Error(`There are more than ${MAX_ENTRIES} files among the skills.`);
      const path = directory === '' ? name : `${directory}/${name}`;
      if (kind === 'directory') await this.walk(path, depth + 1);
      else (kind === 'file' ? this.#paths : this.#unsupported).push(path);
    }
  }

  async finish(): Promise<Scan> {
    const skills: Skill[] = [];
    const served = new Map<string, ScannedFile>();
    for (const manifest of this.#paths.filter((path) => path.split('/').at(-1) === MANIFEST).sort()) {
      const found = await this.#skillOf(manifest);
      if (typeof found === 'string') {
        this.#problems.push({ path: manifest, message: found });
        continue;
      }
      skills.push(found.skill);
      for (const file of found.files) served.set(file.uri, file);
    }
    skills.sort((a, b) => (a.uri < b.uri ? -1 : 1));
    return { skills, files: served, problems: this.#problems };
  }

  /** The skill, or the reason why it cannot be served. */
  async #skillOf(manifest: string): Promise<{ skill: Skill; files: ScannedFile[] } | string> {
    const root = manifest.slice(0, -MANIFEST.length);
    if (root === '') return 'A skill needs a folder of its own, which is named as the skill is';
    const link = this.#unsupported.find((path) => path.startsWith(root));
    if (link !== undefined) return `It contains ${link}, which is a link or no ordinary file`;
    const paths = this.#paths.filter((path) => path.startsWith(root)).sort();
    const { limits, baseUri } = this.#options;
    if (paths.length > limits.files) return `It has ${paths.length} files, and ${limits.files} are the limit`;
    const files: ScannedFile[] = [];
    let left = limits.bytes;
    for (const path of paths) {
      const file = await this.#scan(path, left);
      if (typeof file === 'string') return file;
      left -= file.size;
      if (left < 0) return `Its files have more than ${limits.bytes} bytes, which is the limit`;
      files.push(file);
    }
    const frontmatter = this.#manifests.get(manifest) ?? 'It could not be read';
    if (typeof frontmatter === 'string') return frontmatter;
    if (root.split('/').at(-2) !== frontmatter.name)
      return `Its folder must be named "${frontmatter.name}", as its front matter says`;
    const resources = files.map(({ uri, digest, size }) => ({ uri, digest, size }));
    const fault = limitFault(resources, limits);
    return fault ?? { skill: { uri: uriOf(baseUri, manifest), frontmatter, resources }, files };
  }

  /** Size and digest of a file, or the reason why it cannot be read. */
  async #scan(path: string, maxBytes: number): Promise<ScannedFile | string> {
    const known = this.#read.get(path);
    if (known) return known;
    let bytes: Bytes;
    try {
      bytes = await this.#files.read(path, maxBytes);
    } catch (error) {
      return `${path} cannot be read: ${errorMessage(error)}`;
    }
    const file = {
      path,
      uri: uriOf(this.#options.baseUri, path),
      digest: await digestOf(bytes),
      size: bytes.byteLength,
    };
    this.#read.set(path, file);
    if (path.split('/').at(-1) === MANIFEST) this.#manifests.set(path, frontmatterOf(bytes));
    return file;
  }
}

/** The front matter of a `SKILL.md`, or the fault in it. */
function frontmatterOf(bytes: Uint8Array): SkillFrontmatter | string {
  try {
    const { frontmatter } = readManifest(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return frontmatterFault(frontmatter) ?? (frontmatter as SkillFrontmatter);
  } catch (error) {
    return errorMessage(error);
  }
}
