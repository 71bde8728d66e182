import type { Json, JsonObject } from '../../values/json.ts';
import { DIALECTS } from '../interpolation/dialects.ts';
import { pointerTo, type LostField } from '../problem.ts';
import type { InputDefinition } from '../server-entry.ts';
import type { ConfigDocument, Written } from './format.ts';
import { joined, leavesOf } from './members.ts';
import type { FormatShape } from './shape.ts';
import { shapeOf } from './shapes.ts';
import { splitExtra, writeEntry } from './write-entry.ts';

export function writeFileText(shape: FormatShape, document: ConfigDocument): Written {
  const lost: LostField[] = [];
  const writer = new FileWriter(shape, document, lost);
  return { text: `${JSON.stringify(writer.write(), null, 2)}\n`, lost };
}

const LOCAL = /^\/projects\/([^/]*)\/mcpServers\//;

/** Writes one document. */
class FileWriter {
  readonly #shape: FormatShape;
  readonly #document: ConfigDocument;
  readonly #lost: LostField[];

  constructor(shape: FormatShape, document: ConfigDocument, lost: LostField[]) {
    this.#shape = shape;
    this.#document = document;
    this.#lost = lost;
  }

  write(): JsonObject {
    const { key, mark, inputs } = this.#shape;
    const written = inputs === undefined ? this.#loseInputs() : this.#writeInputs();
    const { servers, projects } = this.#writeServers();
    const file: JsonObject = {
      ...(mark !== undefined && { [mark.key]: mark.value }),
      ...(written.length > 0 && { inputs: written }),
      [key]: servers,
      ...(projects !== undefined && { projects }),
    };
    return joined(file, this.#writeRest());
  }

  #writeServers(): { servers: JsonObject; projects?: JsonObject } {
    const servers = new Map<string, Json>();
    const projects: Record<string, { mcpServers: Record<string, Json> }> = {};
    const put = (pointer: string, name: string, value: Json): void => {
      const local = this.#shape.id === 'claude-code' ? LOCAL.exec(pointer)?.[1] : undefined;
      if (local === undefined && servers.has(name))
        this.#lose(pointer, 'Another server of this name comes before it.', name);
      else if (local === undefined) servers.set(name, value);
      else
        (projects[local.replaceAll('~1', '/').replaceAll('~0', '~')] ??= { mcpServers: {} }).mcpServers[name] = value;
    };
    for (const entry of this.#document.entries) {
      const value = writeEntry(this.#shape, entry, this.#lost);
      if (value !== undefined) put(entry.origin.pointer ?? '', entry.name, value);
    }
    for (const { name, pointer, value } of this.#document.skipped ?? []) {
      if (pointer.startsWith('/inputs/')) continue;
      if (this.#isSameFormat) put(pointer, name, value);
      else this.#lose(pointer, 'It could not be read.', name);
    }
    return { servers: Object.fromEntries(servers), ...(Object.keys(projects).length > 0 && { projects }) };
  }

  #writeInputs(): Json[] {
    const written = this.#document.inputs.map((input) => this.#writeInput(input));
    for (const { pointer, value } of this.#document.skipped ?? []) {
      if (!pointer.startsWith('/inputs/')) continue;
      if (this.#isSameFormat) written.push(value as JsonObject);
      else this.#lose(pointer, 'It could not be read.');
    }
    return written;
  }

  #writeInput(input: InputDefinition): JsonObject {
    const { id, inputs, extra, title } = this.#shape;
    const pointer = input.origin?.pointer ?? pointerTo('inputs', input.id);
    const body = inputs?.write(input, (member, why) => this.#lose(pointer + pointerTo(member), `${why}.`)) ?? {};
    const format = input.origin?.format ?? 'program';
    const other = input.other ?? {};
    if (format === id) return joined(body, other);
    if (extra !== undefined) return input.other === undefined ? body : { ...body, [extra]: { [format]: other } };
    const { own, others } = splitExtra(id, other);
    for (const path of leavesOf(others)) this.#lose(pointer + pointerTo(...path), `${title} has no such member.`);
    return joined(body, own);
  }

  #loseInputs(): Json[] {
    for (const { id, origin } of this.#document.inputs)
      this.#lose(origin?.pointer ?? pointerTo('inputs', id), `${this.#shape.title} does not ask for values.`);
    for (const { pointer } of this.#document.skipped ?? [])
      if (pointer.startsWith('/inputs/')) this.#lose(pointer, 'It could not be read.');
    return [];
  }

  /** The members of the file beside its servers. */
  #writeRest(): JsonObject {
    const { format, rest = {} } = this.#document;
    const { id, extra } = this.#shape;
    if (this.#isSameFormat || format === undefined) return rest;
    const source = shapeOf(format);
    if (extra !== undefined && source?.restIsState === false)
      return Object.keys(rest).length > 0 ? { [extra]: { [format]: rest } } : {};
    const { own, others } = format === 'crosspoint' ? splitExtra(id, rest) : { own: {}, others: rest };
    for (const key of Object.keys(others))
      this.#lose(
        pointerTo(key),
        source?.restIsState === true
          ? `It is state of ${DIALECTS[format].title}, and about no server that was read.`
          : `Only ${DIALECTS[format].title} has this member.`,
      );
    return own;
  }

  get #isSameFormat(): boolean {
    return this.#document.format === this.#shape.id;
  }

  #lose(pointer: string, why: string, server?: string): void {
    this.#lost.push({ pointer, ...(server !== undefined && { server }), why });
  }
}
