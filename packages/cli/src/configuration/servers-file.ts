import {
  FILE_FORMATS,
  problemLine,
  type InputDefinition,
  type Reading,
  type ServerEntry,
} from '@crosspoint/host/config';
import type { Json, JsonObject } from '@crosspoint/host';
import { CliError } from '../errors/cli-error.ts';
import { editFile, readText } from '../place/edit-file.ts';
import type { Home } from '../place/home.ts';
import { withDifferences, withKey, withMember, withoutMember } from './json-edit.ts';

const NEW_FILE = '{\n  "crosspoint": 1,\n  "servers": {}\n}\n';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Throws where a server of this name could not be named on a command line. */
export function checkServerName(name: string): void {
  if (!NAME.test(name) || name.endsWith('.mcpb'))
    throw new CliError(
      'usage',
      `${JSON.stringify(name)} cannot be a name: use letters, digits, ".", "_" and "-", at most 64.`,
    );
}

/** The user's `crosspoint.json` while it is edited. Comments and members that are not touched stay as they are. */
export class ServersText {
  #text: string;
  #reading: Reading;

  /** Throws a `CliError` for a text that is no configuration: it would be lost. */
  constructor(file: string, text: string) {
    this.#text = text;
    this.#reading = FILE_FORMATS.crosspoint.read(text, { file, scope: 'user' });
    const fault = this.#reading.problems.find(
      ({ code, pointer = '' }) => code === 'syntax' || pointer === '' || pointer === '/servers',
    );
    if (fault !== undefined && fault.severity === 'error')
      throw new CliError('usage', `The configuration cannot be edited: ${problemLine(fault)}`, {
        hint: `Nothing was changed. crosspoint servers lint ${file} lists every fault.`,
      });
  }

  get text(): string {
    return this.#text;
  }

  get entries(): readonly ServerEntry[] {
    return this.#reading.entries;
  }

  get inputs(): readonly InputDefinition[] {
    return this.#reading.inputs;
  }

  /** Whether there is a server of the name, usable or not. */
  has(name: string): boolean {
    const { entries, skipped = [] } = this.#reading;
    return [...entries, ...skipped].some((one) => one.name === name);
  }

  /** The server of the name. Throws a `CliError` where there is none, or none that can be read. */
  entry(name: string, file: string): ServerEntry {
    const found = this.entries.find((one) => one.name === name);
    if (found !== undefined) return found;
    if (this.has(name))
      throw new CliError('usage', `The server ${JSON.stringify(name)} in ${file} has a fault.`, {
        hint: `crosspoint servers lint ${file} names it.`,
      });
    throw new CliError('usage', `There is no server ${JSON.stringify(name)} in ${file}.`, {
      hint: 'crosspoint servers ls lists those that are configured, and in which file.',
      mistyped: { word: name, among: this.entries.map((one) => one.name) },
    });
  }

  set(entry: ServerEntry): void {
    const before = this.entries.find(({ name }) => name === entry.name);
    const path = ['servers', entry.name];
    this.#become(
      before === undefined
        ? withMember(this.#text, path, entryJson(entry))
        : withDifferences(this.#text, path, entryJson(before), entryJson(entry)),
    );
  }

  rename(name: string, to: string): void {
    this.#become(withKey(this.#text, ['servers', name], to));
  }

  remove(name: string): void {
    this.#become(withoutMember(this.#text, ['servers', name]));
  }

  /** Adds definitions of inputs that are not there yet. */
  addInputs(inputs: readonly InputDefinition[]): void {
    const known = new Set(this.inputs.map(({ id }) => id));
    const added = inputs.filter(({ id }) => !known.has(id));
    if (added.length === 0) return;
    const { inputs: all } = documentJson([], [...this.inputs, ...added]);
    this.#become(withMember(this.#text, ['inputs'], all ?? []));
  }

  /** A text that could not be read again is never written. */
  #become(text: string): void {
    const reading = FILE_FORMATS.crosspoint.read(text, { scope: 'user' });
    const fault = reading.problems.find(({ code }) => code === 'syntax');
    if (fault !== undefined)
      throw new CliError(
        'internal',
        `The edit would have broken the configuration (${problemLine(fault)}). Nothing was changed.`,
      );
    this.#text = text;
    this.#reading = reading;
  }
}

/** Edits the user's configuration. Two commands at once lose nothing of each other. */
export async function editServers<T>({ configFile }: Home, edit: (servers: ServersText) => T): Promise<T> {
  let result: { readonly value: T } | undefined;
  await editFile(configFile, (text) => {
    const servers = new ServersText(configFile, text ?? NEW_FILE);
    result = { value: edit(servers) };
    return servers.text === (text ?? NEW_FILE) ? undefined : servers.text;
  });
  if (result === undefined) throw new CliError('internal', `The file ${configFile} was not edited.`);
  return result.value;
}

/** The user's configuration as it is. */
export async function readServers({ configFile }: Home): Promise<ServersText> {
  return new ServersText(configFile, (await readText(configFile)) ?? NEW_FILE);
}

function entryJson(entry: ServerEntry): Json {
  const { servers } = documentJson([entry], []);
  return (servers as JsonObject | undefined)?.[entry.name] ?? {};
}

function documentJson(entries: readonly ServerEntry[], inputs: readonly InputDefinition[]): JsonObject {
  return JSON.parse(FILE_FORMATS.crosspoint.write({ format: 'crosspoint', entries, inputs }).text) as JsonObject;
}
