import { createHash } from 'node:crypto';
import type { Store } from 'crosspoint/stores';
import type { AskOptions, Asks, Provenance, Questions } from '../../inbox/item.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import { visibleLine, visibleText } from '../../values/visible-text.ts';
import type { InputDefinition } from '../server-entry.ts';
import { checkInput } from './input-check.ts';
import { InputError } from './input-error.ts';

const PREFIX = 'host/inputs/';
const MAX_TRIES = 3;
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 2000;
const MAX_OPTIONS = 500;
const MAX_SECRET_NAME = 200;

export interface InputValuesOptions {
  /** The inbox. */
  readonly asks: Asks;
  /** Keeps values that are no secrets, and which inputs were answered. */
  readonly store: Store;
  readonly secrets: SecretStore;
}

/** An input that was answered, as a list of them shows it. */
export interface KeptInput {
  readonly server: string;
  readonly id: string;
  readonly isSecret: boolean;
  /** Absent for secrets; `null` where the user left it empty. */
  readonly value?: Json;
}

type Question = Questions['input']['question'];

/**
 * The values that configurations ask their user for. Each is asked for once, checked, and kept for its server alone: secrets in the secret store, others in the
 * store. They can be listed, changed and forgotten.
 *
 * ```ts
 * const values = new InputValues({ asks: inbox, store: memoryStore(), secrets });
 * const given = await values.all(inputs, { server: 'weather', reason: 'The bundle needs it to start.' });
 * const reach = bundleReach(manifest, folder, given);
 * ```
 */
export class InputValues {
  readonly #asks: Asks;
  readonly #store: Store;
  readonly #secrets: SecretStore;
  /** Questions under way: an input that is needed twice at once is asked for once. */
  readonly #asked = new Map<string, Promise<Json>>();

  constructor({ asks, store, secrets }: InputValuesOptions) {
    this.#asks = asks;
    this.#store = store;
    this.#secrets = secrets;
  }

  /**
   * The value that was kept, if it still fits; otherwise the user's answer. `null` where an optional input was left empty. Rejects with an `InputError` when the
   * user cancels, or three answers did not fit.
   */
  async get(definition: InputDefinition, from: Provenance, options?: AskOptions): Promise<Json> {
    const key = keyOf(from.server, definition.id);
    const running = this.#asked.get(key);
    if (running !== undefined) return running;
    const work = this.#getOrAsk(definition, from, options).finally(() => this.#asked.delete(key));
    this.#asked.set(key, work);
    return work;
  }

  /** The values of several inputs by their ids, asked for one after the other. */
  async all(
    definitions: readonly InputDefinition[],
    from: Provenance,
    options?: AskOptions,
  ): Promise<Record<string, Json>> {
    const values: [string, Json][] = [];
    for (const definition of definitions) values.push([definition.id, await this.get(definition, from, options)]);
    return Object.fromEntries(values);
  }

  /** Asks for a value anew; the old one is kept when the user cancels. */
  async edit(definition: InputDefinition, from: Provenance, options?: AskOptions): Promise<Json> {
    const kept = await this.#kept(definition, from.server);
    return this.#ask({ ...definition, ...shownDefault(definition, kept) }, from, {
      ...(options !== undefined && { options }),
    });
  }

  /** Keeps a value without asking. Rejects with an `InputError` when it does not fit. */
  async set(definition: InputDefinition, value: Json, server: string): Promise<Json> {
    const checked = await checkInput(definition, value);
    if ('fault' in checked)
      throw new InputError(
        'invalid',
        definition.id,
        `The value of ${labelOf(definition)} was not kept. ${checked.fault}`,
      );
    await this.#keep(definition, checked.value, server);
    return checked.value;
  }

  /** Forgets a value; true if there was one. It is asked for again when it is next needed. */
  async reset(id: string, server: string): Promise<boolean> {
    const hadSecret = await this.#secrets.delete(secretName(server, id));
    const hadRecord = await this.#store.delete(keyOf(server, id));
    return hadSecret || hadRecord;
  }

  /** Forgets every value of a server, and says which. */
  async resetAll(server: string): Promise<readonly string[]> {
    const ids = (await this.list(server)).map(({ id }) => id);
    for (const id of ids) await this.reset(id, server);
    return ids;
  }

  /** The inputs that were answered, of one server or of all, without the values of secrets. */
  async list(server?: string): Promise<readonly KeptInput[]> {
    const kept: KeptInput[] = [];
    for (const key of await this.#store.keys(server === undefined ? PREFIX : keyOf(server, ''))) {
      const [ofServer = '', id = ''] = key.slice(PREFIX.length).split('/').map(decodeURIComponent);
      const record = recordOf((await this.#store.get(key))?.value);
      if (record === undefined) continue;
      const isSecret = record['isSecret'] === true;
      kept.push({ server: ofServer, id, isSecret, ...(!isSecret && { value: record['value'] ?? null }) });
    }
    return kept;
  }

  async #getOrAsk(definition: InputDefinition, from: Provenance, options: AskOptions | undefined): Promise<Json> {
    const kept = await this.#kept(definition, from.server);
    if (kept === undefined) return this.#ask(definition, from, { ...(options !== undefined && { options }) });
    const checked = await checkInput(definition, kept);
    if ('value' in checked) return checked.value;
    const again = { ...definition, ...shownDefault(definition, kept) };
    return this.#ask(again, from, {
      problem: `The value that was kept does not fit any more. ${checked.fault}`,
      ...(options !== undefined && { options }),
    });
  }

  async #ask(
    definition: InputDefinition,
    from: Provenance,
    more: { problem?: string; options?: AskOptions },
  ): Promise<Json> {
    let { problem } = more;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const answer = await this.#asks.ask('input', questionOf(definition, problem), from, more.options);
      if (answer.action === 'cancel')
        throw new InputError(
          'cancelled',
          definition.id,
          `${labelOf(definition)} was asked for and not given. Start the server again to be asked again.`,
        );
      const checked = await checkInput(definition, answer.value);
      if ('value' in checked) {
        await this.#keep(definition, checked.value, from.server);
        return checked.value;
      }
      problem = checked.fault;
    }
    throw new InputError(
      'invalid',
      definition.id,
      `${labelOf(definition)} was asked for ${MAX_TRIES} times, and no answer fitted. ${problem ?? ''}`,
    );
  }

  async #kept(definition: InputDefinition, server: string | undefined): Promise<Json | undefined> {
    const record = recordOf((await this.#store.get(keyOf(server, definition.id)))?.value);
    if (definition.isSecret !== true) return record?.['isSecret'] === true ? undefined : record?.['value'];
    if (record?.['isUnset'] === true) return null;
    const text = await this.#secrets.get(secretName(server, definition.id));
    return text === undefined ? undefined : secretValue(definition, text);
  }

  /** A value is either in the one store or in the other: a definition that changed leaves no copy of a secret behind. */
  async #keep(definition: InputDefinition, value: Json, server: string | undefined): Promise<void> {
    const name = secretName(server, definition.id);
    const isSecret = definition.isSecret === true;
    if (isSecret && value !== null)
      await this.#secrets.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    else await this.#secrets.delete(name);
    const record: JsonObject = isSecret ? { isSecret, isUnset: value === null } : { isSecret, value };
    await this.#store.put(keyOf(server, definition.id), record);
  }
}

function recordOf(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** A text is kept as it is, so that it can be read and changed in the keychain; other values as JSON. */
function secretValue({ type, isList }: InputDefinition, text: string): Json | undefined {
  if (isList !== true && type !== 'number' && type !== 'boolean') return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function shownDefault({ isSecret, default: fallback }: InputDefinition, kept: Json | undefined): { default?: Json } {
  if (isSecret === true || kept === undefined || kept === null)
    return fallback === undefined ? {} : { default: fallback };
  return { default: kept };
}

function questionOf(definition: InputDefinition, problem: string | undefined): Question {
  const {
    id,
    title,
    description,
    isSecret,
    options,
    default: fallback,
    type,
    isList,
    isRequired,
    minimum,
    maximum,
  } = definition;
  return {
    id,
    title: visibleLine(title ?? id).slice(0, MAX_TITLE),
    ...(description !== undefined && { description: visibleText(description).slice(0, MAX_DESCRIPTION) }),
    isSecret: isSecret === true,
    ...(options !== undefined && {
      options: options
        .slice(0, MAX_OPTIONS)
        .map(({ label, value }) => ({ label: visibleLine(label).slice(0, MAX_TITLE), value })),
    }),
    ...(fallback !== undefined && { default: fallback }),
    type,
    ...(isList === true && { isList }),
    ...(isRequired === true && { isRequired }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(problem !== undefined && { problem }),
  };
}

function labelOf({ title, id }: InputDefinition): string {
  return visibleLine(title ?? id).slice(0, MAX_TITLE);
}

function keyOf(server: string | undefined, id: string): string {
  return `${PREFIX}${encodeURIComponent(server ?? '')}/${encodeURIComponent(id)}`;
}

const NOT_IN_NAMES = /[!'()*.]/g;

/** The name of a secret: its server and its id, or their hash where that is too long. */
function secretName(server: string | undefined, id: string): string {
  const encoded = (text: string): string =>
    encodeURIComponent(text).replaceAll(NOT_IN_NAMES, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const name = `input/${encoded(server ?? '')}/${encoded(id)}`;
  if (name.length <= MAX_SECRET_NAME) return name;
  return `input/sha256-${createHash('sha256').update(name).digest('hex')}`;
}
