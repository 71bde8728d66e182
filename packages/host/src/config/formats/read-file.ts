import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import { pointerTo, type Problem } from '../problem.ts';
import type { InputDefinition, ServerEntry } from '../server-entry.ts';
import type { FilePlace, Reading, SkippedEntry } from './format.ts';
import { JsonTextError, parseJsonText, type ParsedJson } from './json-text.ts';
import { readEntry } from './read-entry.ts';
import type { EntryOrigin, FormatShape, ProblemSink } from './shape.ts';

/** Longest text of a configuration file, in UTF-16 code units. `~/.claude.json` also holds the history of its program. */
export const MAX_FILE_LENGTH: number = 16 * 1024 * 1024;
const MAX_PROBLEMS = 200;

/** `sha256:` and the hash of a text as it stands in its file. */
export function contentDigest(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

export function readFileText(shape: FormatShape, text: string, place: FilePlace): Reading {
  const digest = contentDigest(text);
  const file = place.file === undefined ? {} : { file: place.file };
  const failed = (problem: Omit<Problem, 'file' | 'severity'>): Reading => ({
    format: shape.id,
    entries: [],
    inputs: [],
    problems: [{ ...problem, ...file, severity: 'error' }],
    digest,
  });
  if (text.length > MAX_FILE_LENGTH)
    return failed({ code: 'size', message: `The file is longer than ${MAX_FILE_LENGTH} characters.` });
  try {
    const parsed = parseJsonText(text, shape);
    if (!isObject(parsed.value)) return failed({ code: 'type', pointer: '', message: 'must be a JSON object.' });
    const origin = { format: shape.id, scope: place.scope ?? 'project', ...file, digest };
    return new FileReader(shape, parsed, origin).read(parsed.value, place);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return failed({ code: 'syntax', message: error.message, ...error.place });
  }
}

/** Reads one parsed file. */
class FileReader implements ProblemSink {
  readonly #shape: FormatShape;
  readonly #parsed: ParsedJson;
  readonly #origin: EntryOrigin;
  readonly #entries: ServerEntry[] = [];
  readonly #inputs = new Map<string, InputDefinition>();
  readonly #skipped: SkippedEntry[] = [];
  readonly #problems: Problem[] = [];

  constructor(shape: FormatShape, parsed: ParsedJson, origin: EntryOrigin) {
    this.#shape = shape;
    this.#parsed = parsed;
    this.#origin = origin;
  }

  report(problem: Omit<Problem, 'file' | 'line' | 'column'>): void {
    if (this.#problems.length >= MAX_PROBLEMS) return;
    const { file } = this.#origin;
    const place = this.#parsed.placeOf(problem.pointer ?? '');
    this.#problems.push({ ...problem, ...(file !== undefined && { file }), ...place });
  }

  read(value: JsonObject, place: FilePlace): Reading {
    const { key, mark, inputs } = this.#shape;
    const rest: Record<string, Json | undefined> = { ...value };
    if (this.#isMarked(value)) {
      if (this.#shape.id === 'claude-code') this.#readLocal(rest, place.folder);
      this.#readServers(value[key], [key], this.#origin);
      if (inputs !== undefined) this.#readInputs(value['inputs']);
      for (const member of [key, mark?.key, inputs && 'inputs']) if (member !== undefined) delete rest[member];
    }
    return {
      format: this.#shape.id,
      entries: this.#entries,
      inputs: [...this.#inputs.values()],
      ...(Object.keys(rest).length > 0 && { rest }),
      ...(this.#skipped.length > 0 && { skipped: this.#skipped }),
      problems: this.#problems,
      digest: this.#origin.digest ?? '',
    };
  }

  /** Whether the file is of this format and of a version that is known. */
  #isMarked(value: JsonObject): boolean {
    const { key, mark, title, restIsState } = this.#shape;
    const found = mark === undefined ? undefined : value[mark.key];
    if (mark !== undefined && found !== undefined && found !== mark.value) {
      const message = `must be ${JSON.stringify(mark.value)}: a later version of the format cannot be read.`;
      this.report({ severity: 'error', code: 'unsupported', pointer: pointerTo(mark.key), message });
      return false;
    }
    const other = key === 'servers' ? 'mcpServers' : 'servers';
    if (value[key] !== undefined || (restIsState && value[other] === undefined)) return true;
    const message =
      value[other] === undefined
        ? `"${key}", which holds the servers of ${title}, is missing.`
        : `${title} has its servers under "${key}", and this file has "${other}": rename it, or read it as another format.`;
    this.report({ severity: 'error', code: 'missing', pointer: '', message });
    return false;
  }

  #readServers(servers: Json | undefined, path: readonly string[], origin: EntryOrigin): void {
    if (servers === undefined) return;
    if (!isObject(servers)) {
      this.report({ severity: 'error', code: 'type', pointer: pointerTo(...path), message: 'must be an object.' });
      return;
    }
    for (const [name, value = null] of Object.entries(servers)) {
      const pointer = pointerTo(...path, name);
      const entry = readEntry(this.#shape, { name, value, pointer, origin }, this);
      if (entry === undefined) this.#skipped.push({ name, pointer, value });
      else this.#entries.push(entry);
    }
  }

  /** Reads `projects[folder].mcpServers` of the user's own file, and takes it out of `rest`. A repository's file has no local servers. */
  #readLocal(rest: Record<string, Json | undefined>, folder: string | undefined): void {
    const projects = rest['projects'];
    if (folder === undefined || this.#origin.scope !== 'user' || !isObject(projects)) return;
    const path = Object.keys(projects).find((key) => samePath(key, folder));
    const project = path === undefined ? undefined : projects[path];
    if (path === undefined || !isObject(project)) return;
    this.#readServers(project['mcpServers'], ['projects', path, 'mcpServers'], { ...this.#origin, scope: 'local' });
    const { mcpServers: _servers, ...state } = project;
    rest['projects'] = { ...projects, [path]: state };
  }

  #readInputs(inputs: Json | undefined): void {
    if (inputs === undefined) return;
    if (!Array.isArray(inputs)) {
      this.report({ severity: 'error', code: 'type', pointer: '/inputs', message: 'must be a list.' });
      return;
    }
    for (const [at, value] of (inputs as readonly Json[]).entries()) {
      const input = this.#readInput(value, pointerTo('inputs', at));
      if (input === undefined) this.#skipped.push({ name: '', pointer: pointerTo('inputs', at), value });
      else this.#inputs.set(input.id, input);
    }
  }

  #readInput(value: Json, pointer: string): InputDefinition | undefined {
    let isUsable = true;
    const refuse = (member: string, message: string): void => {
      isUsable = false;
      const at = member === '' ? pointer : pointer + pointerTo(member);
      this.report({ severity: 'error', code: 'type', pointer: at, message });
    };
    if (!isObject(value)) refuse('', 'must be an object.');
    const input = isObject(value) ? this.#shape.inputs?.read(value, refuse) : undefined;
    if (input !== undefined && this.#inputs.has(input.id)) refuse('id', 'is the id of another input, too.');
    return isUsable && input !== undefined ? { ...input, origin: { ...this.#origin, pointer } } : undefined;
  }
}

const DRIVE = /^[A-Za-z]:/;

/** Whether two spellings name one folder: on Windows, slashes and letters of either kind are the same. */
function samePath(one: string, other: string): boolean {
  const [first = '', second = ''] = [one, other].map((path) => {
    const plain = path.replaceAll('\\', '/').replace(/(?<=.)\/$/, '');
    return DRIVE.test(plain) ? plain.toLowerCase() : path.replace(/(?<=.)\/$/, '');
  });
  return first === second;
}
