import { basename } from 'node:path';
import type { Json } from '../../values/json.ts';
import { isSecretAfter, isSecretName, type PlacedText } from '../hidden-values.ts';
import { sourcePointer } from '../formats/shapes.ts';
import type { Problem, ProblemCode } from '../problem.ts';
import type { InputDefinition, ServerEntry } from '../server-entry.ts';
import type { MappedText, ReachText } from '../texts.ts';
import { DIALECTS, type Reference } from './dialects.ts';
import type { ResolveOptions, ValueSources, ValueUse } from './sources.ts';
import { faultOf, parseTemplate, shownSource, type Part } from './template.ts';

/** A value and where it came from. */
interface Found {
  readonly value: string | readonly string[];
  readonly from: string;
  readonly isSecret: boolean;
}

/** One piece of a text with its value, and as people may see it. */
interface Piece {
  readonly value: string | readonly string[];
  readonly shown: string | readonly string[];
}

export interface ResolvedText {
  readonly value: MappedText;
  readonly shown: MappedText;
}

/** Finds the values of the references of one entry, each once, and notes what it used. */
export class Resolver {
  readonly used: ValueUse[] = [];
  readonly secrets: Set<string> = new Set();
  readonly problems: Problem[] = [];
  readonly #entry: ServerEntry;
  readonly #sources: ValueSources;
  readonly #keepsUnresolved: boolean;
  /** The inputs of the entry's own file, by id. */
  readonly #inputs: ReadonlyMap<string, InputDefinition>;

  constructor(entry: ServerEntry, sources: ValueSources, options: ResolveOptions) {
    this.#entry = entry;
    this.#sources = sources;
    this.#keepsUnresolved = options.unresolved === 'keep';
    const own = (sources.inputs ?? []).filter(({ origin }) => origin?.file === entry.origin.file);
    this.#inputs = new Map(own.map((input) => [input.id, input]));
  }

  get hasErrors(): boolean {
    return this.problems.some(({ severity }) => severity === 'error');
  }

  async resolve(text: PlacedText): Promise<ResolvedText> {
    const parts = parseTemplate(text.text, DIALECTS[this.#entry.origin.format]);
    const pieces: Piece[] = [];
    for (const [at, part] of parts.entries()) {
      const before = parts[at - 1];
      const isSecret = isSecretAfter(before !== undefined && 'text' in before ? before.text : '', text);
      pieces.push(await this.#pieceOf(part, text, isSecret));
    }
    const [first] = pieces;
    if (pieces.length === 1 && first !== undefined && text.path[0] === 'args') return first;
    if (pieces.some(({ value }) => typeof value !== 'string'))
      this.#note('error', 'type', text.path, 'gets several values, and there is place for one.');
    return { value: pieces.map(({ value }) => value).join(''), shown: pieces.map(({ shown }) => shown).join('') };
  }

  note(code: ProblemCode, path: ReachText['path'], message: string): void {
    this.#note('error', code, path, message);
  }

  /** `isSecretHere`: values are secrets in this place. */
  async #pieceOf(part: Part, text: ReachText, isSecretHere: boolean): Promise<Piece> {
    if ('text' in part) return { value: part.text, shown: part.text };
    const kept = { value: part.source, shown: shownSource(part.source) };
    const fault = faultOf(part);
    if (fault !== undefined || !('reference' in part)) {
      const isKept = this.#keepsUnresolved && 'fault' in part;
      this.#note(isKept ? 'warning' : 'error', 'reference', text.path, `${fault}.`);
      return kept;
    }
    const found = await this.#find(part.reference, text);
    if (found === undefined) {
      this.#noteMissing(part.reference, part.source, text);
      return kept;
    }
    const isValue = part.reference.kind === 'env' || part.reference.kind === 'input';
    const isSecret = found.isSecret || (isValue && isSecretHere);
    const { kind, name } = part.reference as Exclude<Reference, { kind: 'refused' }>;
    this.used.push({ pointer: sourcePointer(this.#entry, text.path), kind, name, from: found.from, isSecret });
    if (!isSecret) return { value: found.value, shown: found.value };
    for (const value of [found.value].flat()) if (value !== '') this.secrets.add(value);
    return { value: found.value, shown: shownSource(part.source) };
  }

  async #find(reference: Reference, text: ReachText): Promise<Found | undefined> {
    const { origin } = this.#entry;
    switch (reference.kind) {
      case 'env':
        return this.#variable(reference);
      case 'folder':
        return this.#folder(reference.name);
      case 'separator': {
        const value = (this.#sources.platform ?? process.platform) === 'win32' ? '\\' : '/';
        return { value, from: 'operating system', isSecret: false };
      }
      case 'secret': {
        const value = await this.#sources.secret?.(reference.name, origin);
        return value === undefined ? undefined : { value, from: 'store of secrets', isSecret: true };
      }
      case 'input':
        return this.#input(reference.name, text);
      case 'refused':
        return undefined;
    }
  }

  #variable({ name, default: otherwise }: Extract<Reference, { kind: 'env' }>): Found | undefined {
    const { env = {} } = this.#sources;
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    const isSecret = isSecretName(name);
    if (value !== undefined) return { value, from: `environment variable ${name}`, isSecret };
    return otherwise === undefined ? undefined : { value: otherwise, from: 'default in the file', isSecret };
  }

  #folder(name: Extract<Reference, { kind: 'folder' }>['name']): Found | undefined {
    const { folders = {} } = this.#sources;
    const value =
      name === 'workspaceFolderBasename'
        ? folders.workspaceFolder && basename(folders.workspaceFolder.replaceAll('\\', '/'))
        : folders[name];
    return value === undefined ? undefined : { value, from: 'folders of the host', isSecret: false };
  }

  async #input(id: string, text: ReachText): Promise<Found | undefined> {
    const { origin } = this.#entry;
    const definition = this.#inputs.get(id);
    if (definition?.type === 'command') {
      this.#note(
        'error',
        'reference',
        text.path,
        `The input "${id}" would run a command of an editor: it is never run.`,
      );
      return undefined;
    }
    const value = textOf(await this.#sources.input?.(id, origin));
    return value === undefined
      ? undefined
      : { value, from: `input ${id}`, isSecret: definition === undefined || definition.isSecret === true };
  }

  #noteMissing(reference: Reference, source: string, text: ReachText): void {
    const shown = shownSource(source);
    const isKept = this.#keepsUnresolved && reference.kind === 'env';
    const remedies = {
      env: `is not set: set the environment variable ${reference.name}`,
      folder: 'is not known: the host was given no such folder',
      input: 'has no value: the question was not answered',
      secret: 'is not among the kept secrets: store it first',
      separator: '',
      refused: '',
    };
    const message = `${shown} ${remedies[reference.kind]}${isKept ? '; it stays as it is' : ''}.`;
    this.#note(isKept ? 'warning' : 'error', 'reference', text.path, message);
  }

  #note(severity: Problem['severity'], code: ProblemCode, path: ReachText['path'], message: string): void {
    const { file } = this.#entry.origin;
    const pointer = sourcePointer(this.#entry, path);
    this.problems.push({
      severity,
      code,
      message,
      pointer,
      server: this.#entry.name,
      ...(file !== undefined && { file }),
    });
  }
}

/** The text, or the texts, of an answer; `undefined` for what has none. */
function textOf(value: Json | undefined): string | readonly string[] | undefined {
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item) => textOf(item)).filter((item) => typeof item === 'string');
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : undefined;
}
