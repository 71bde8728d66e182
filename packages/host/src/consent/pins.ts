import type { Tool } from 'crosspoint/client';
import type { Store } from 'crosspoint/stores';
import type { DefinitionChange } from '../inbox/item.ts';
import { digestOf } from '../values/digest.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../values/json.ts';
import type { ApprovalState } from './approval.ts';
import { definitionOf, diffDefinitions, type Definition } from './definition.ts';

/** The part of a server's listing that is remembered. */
export interface PinnedListing {
  readonly tools: readonly Tool[];
  readonly instructions?: string;
}

/** The differences of a server to what was first seen of it, or accepted since. */
export interface ServerChanges {
  /** The server was not seen before: there is nothing to compare with. */
  readonly isFirst: boolean;
  /** Tools that joined. */
  readonly added: readonly string[];
  /** Tools that vanished. */
  readonly removed: readonly string[];
  /** Tools that joined with the definition of one that vanished, but for the name. They are among `added` and `removed`, too. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  readonly changed: readonly { readonly tool: string; readonly changes: readonly DefinitionChange[] }[];
  /** Absent when they are the same. */
  readonly instructions?: { readonly before?: string; readonly after?: string };
}

/** Whether anything is different from what was seen first. */
export function hasChanges({ isFirst, added, removed, changed, instructions }: ServerChanges): boolean {
  return !isFirst && (added.length + removed.length + changed.length > 0 || instructions !== undefined);
}

/** A tool as it is remembered: its digest, and its definition where that is not too large. */
interface Pin {
  readonly digest: string;
  readonly value?: JsonObject;
}

interface Pins {
  readonly tools: ReadonlyMap<string, Pin>;
  readonly instructions: string | undefined;
}

const MAX_TOOLS = 20_000;
/** Characters of JSON of one definition, and of all those of a server. Beyond that only the digest is kept. */
const MAX_DEFINITION = 65_536;
const MAX_DEFINITIONS = 8_388_608;
const MAX_INSTRUCTIONS = 65_536;
const TRIES = 20;

/**
 * The definitions that were first seen of each server, and that the user accepted since: one record a server. A tool that joins later is not
 * remembered until it is accepted, so a server cannot make the record grow.
 */
export class PinnedDefinitions {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #known = new Map<string, Pins>();

  constructor(store: Store, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  /** Compares a listing with what is remembered. The first one that has a tool is remembered. */
  async observe(server: string, listing: PinnedListing): Promise<ServerChanges> {
    const pins = await this.#read(server);
    if (pins !== undefined) return changesOf(pins, listing);
    if (listing.tools.length > 0) await this.#update(server, (found) => found ?? pinsOf(listing));
    return { isFirst: true, added: [], removed: [], renamed: [], changed: [] };
  }

  /** Takes a listing for the known one, as it stands. */
  async accept(server: string, listing: PinnedListing): Promise<void> {
    await this.#update(server, () => pinsOf(listing));
  }

  /** Takes one definition for the known one. Of a server that was never observed nothing is kept: its other tools would count as new. */
  async acceptTool(server: string, tool: Tool, definition: Definition): Promise<void> {
    // The record of a server with many tools is large: it is not read again for a definition that is known.
    if (this.#known.get(server)?.tools.get(tool.name)?.digest === definition.digest) return;
    await this.#update(server, (found) => {
      if (found === undefined || found.tools.get(tool.name)?.digest === definition.digest) return undefined;
      const tools = new Map(found.tools);
      if (tools.size < MAX_TOOLS || tools.has(tool.name)) tools.set(tool.name, pinOf(definition));
      return { tools, instructions: found.instructions };
    });
  }

  async forget(server: string): Promise<void> {
    this.#known.delete(server);
    await this.#store.delete(this.#key(server));
  }

  /** How a tool compares with what is remembered. */
  async look(server: string, tool: Tool, definition: Definition): Promise<Pick<ApprovalState, 'seen' | 'changes'>> {
    const isSame = (pins: Pins | undefined): boolean => pins?.tools.get(tool.name)?.digest === definition.digest;
    let pins = this.#known.get(server);
    // Another process may have accepted it since.
    if (!isSame(pins)) pins = await this.#read(server);
    if (pins === undefined) return { seen: 'first', changes: [] };
    if (isSame(pins)) return { seen: 'same', changes: [] };
    const pin = pins.tools.get(tool.name);
    return pin === undefined ? { seen: 'new', changes: [] } : { seen: 'changed', changes: changesTo(pin, definition) };
  }

  async #read(server: string): Promise<Pins | undefined> {
    const pins = readPins((await this.#store.get(this.#key(server)))?.value);
    this.#remember(server, pins);
    return pins;
  }

  /** Changes the record of a server, unless `change` returns nothing; another process may do so at the same time. */
  async #update(server: string, change: (found: Pins | undefined) => Pins | undefined): Promise<void> {
    const key = this.#key(server);
    for (let tries = 0; tries < TRIES; tries++) {
      const record = await this.#store.get(key);
      const pins = change(readPins(record?.value));
      if (pins === undefined) return;
      if ((await this.#store.put(key, writePins(server, pins), { ifVersion: record?.version ?? null })) === undefined)
        continue;
      this.#remember(server, pins);
      return;
    }
    throw new Error(`The definitions of the server ${server} could not be kept: others write them all the time.`);
  }

  #remember(server: string, pins: Pins | undefined): void {
    if (pins === undefined) this.#known.delete(server);
    else this.#known.set(server, pins);
  }

  #key(server: string): string {
    return `${this.#prefix}pins:${digestOf(server)}`;
  }
}

function pinsOf({ tools, instructions }: PinnedListing): Pins {
  const pins = new Map<string, Pin>();
  let left = MAX_DEFINITIONS;
  for (const tool of tools.slice(0, MAX_TOOLS)) {
    const definition = definitionOf(tool);
    if (definition === undefined || pins.has(tool.name)) continue;
    const pin = left > 0 ? pinOf(definition) : { digest: definition.digest };
    if (pin.value !== undefined) left -= canonicalJson(pin.value).length;
    pins.set(tool.name, pin);
  }
  return { tools: pins, instructions: instructions?.slice(0, MAX_INSTRUCTIONS) };
}

function pinOf({ value, digest }: Definition): Pin {
  return canonicalJson(value).length <= MAX_DEFINITION ? { digest, value } : { digest };
}

function changesTo({ value }: Pin, definition: Definition): readonly DefinitionChange[] {
  return value === undefined ? [{ path: '' }] : diffDefinitions(value, definition.value);
}

function changesOf(pins: Pins, { tools, instructions }: PinnedListing): ServerChanges {
  const listed = new Map(tools.map((tool) => [tool.name, definitionOf(tool)]));
  const added = [...listed.keys()].filter((name) => !pins.tools.has(name));
  const removed = [...pins.tools.keys()].filter((name) => !listed.has(name));
  const changed = [...listed].flatMap(([tool, definition]) => {
    const pin = pins.tools.get(tool);
    if (pin === undefined || definition?.digest === pin.digest) return [];
    return [{ tool, changes: definition === undefined ? [{ path: '' }] : changesTo(pin, definition) }];
  });
  const before = pins.instructions;
  const after = instructions?.slice(0, MAX_INSTRUCTIONS);
  const differs = before !== after;
  return {
    isFirst: false,
    added,
    removed,
    renamed: renamedAmong(added, removed, { pins, listed }),
    changed,
    ...(differs && {
      instructions: { ...(before !== undefined && { before }), ...(after !== undefined && { after }) },
    }),
  };
}

interface Both {
  readonly pins: Pins;
  readonly listed: ReadonlyMap<string, Definition | undefined>;
}

function renamedAmong(
  added: readonly string[],
  removed: readonly string[],
  { pins, listed }: Both,
): ServerChanges['renamed'] {
  const nameless = (value: JsonObject | undefined): string | undefined =>
    value && digestOf({ ...value, name: undefined });
  const gone = new Map<string, string>();
  for (const name of removed) {
    const digest = nameless(pins.tools.get(name)?.value);
    if (digest !== undefined && !gone.has(digest)) gone.set(digest, name);
  }
  return added.flatMap((to) => {
    const from = gone.get(nameless(listed.get(to)?.value) ?? '');
    return from === undefined ? [] : [{ from, to }];
  });
}

/** Tools as a list: a tool may be called `__proto__`. */
function writePins(server: string, { tools, instructions }: Pins): Json {
  return { server, tools: [...tools].map(([name, pin]) => ({ name, ...pin })), instructions };
}

function readPins(value: Json | undefined): Pins | undefined {
  if (!isObject(value) || !Array.isArray(value['tools'])) return undefined;
  const tools = (value['tools'] as readonly (Pin & { name: string })[]).map(({ name, ...pin }): [string, Pin] => [
    name,
    pin,
  ]);
  const { instructions } = value;
  return { tools: new Map(tools), instructions: typeof instructions === 'string' ? instructions : undefined };
}
