import type { Json } from '../../values/json.ts';
import { sha256Of } from '../bundles/read-bundle.ts';
import type { HttpReach, Reach, StdioReach } from '../server-entry.ts';
import { shown } from './problem-list.ts';
import type { Launch, RegistryBundle, RegistryEntry } from './registry-entry.ts';

/** Why a way of a document cannot be taken: values are missing, a value does not fit where it stands, or a download is not the file that was announced. */
export type RegistryFault = 'missing-values' | 'invalid-value' | 'digest';

/** A way that a document describes cannot be taken. The message holds no value. */
export class RegistryError extends Error {
  override readonly name: string = 'RegistryError';
  readonly fault: RegistryFault;

  constructor(fault: RegistryFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

type Values = Readonly<Record<string, Json | undefined>>;
/** The texts of each input; none where it has no value. */
type Texts = ReadonlyMap<string, readonly string[]>;

const PLACEHOLDER = /\$\{input:([^{}$]{1,200})\}/g;
const IN_HEADER = /^[\t\x20-\x7E\x80-\u{10FFFF}]*$/u;
const IN_HOST = /^[A-Za-z0-9.:-]*$/;

/**
 * How the server of a document is started or reached, with the values that the user gave. Optional values that are not there take their argument, variable or
 * header with them. Throws a `RegistryError` where a required value is missing or does not fit.
 */
export function registryReach(way: RegistryEntry, values: Values): Reach {
  const { reach } = way.entry;
  const texts = textsOf(way, values);
  if (reach.type === 'stdio') return way.launch === undefined ? reach : started(way.launch, texts);
  return reach.type === 'transport' ? reach : reached(reach, texts);
}

/** The command that has to run before the address of a package can be reached; `undefined` for remotes and for servers that are the command. */
export function registryLaunch(way: RegistryEntry, values: Values): StdioReach | undefined {
  return way.launch === undefined || way.entry.reach.type === 'stdio'
    ? undefined
    : started(way.launch, textsOf(way, values));
}

/** The bytes of a downloaded bundle, if they are those that the document names. */
export function checkedDownload(bytes: Uint8Array, { url, sha256 }: RegistryBundle): Uint8Array {
  const found = sha256Of(bytes);
  if (found === sha256) return bytes;
  throw new RegistryError(
    'digest',
    `The file from ${shown(url)} is not the one that the registry names: its SHA-256 is ${found}, and ${sha256} was announced. Do not use it.`,
  );
}

function textsOf({ entry, inputs }: RegistryEntry, values: Values): Texts {
  const texts = new Map<string, readonly string[]>();
  const missing: string[] = [];
  for (const { id, isRequired, default: fallback } of inputs) {
    const given = Object.hasOwn(values, id) ? values[id] : undefined;
    const all = listOf(given).length > 0 ? listOf(given) : listOf(fallback);
    if (all.some((text) => text.includes('\0')))
      throw new RegistryError('invalid-value', `The value of ${shown(id)} for ${entry.name} holds a NUL character.`);
    if (all.length === 0 && isRequired === true) missing.push(shown(id));
    texts.set(id, all);
  }
  if (missing.length === 0) return texts;
  throw new RegistryError(
    'missing-values',
    `The server ${entry.name} cannot be started: it needs ${missing.join(', ')}. Ask the user for them.`,
  );
}

function listOf(value: Json | undefined): readonly string[] {
  const items: readonly Json[] = Array.isArray(value) ? value : [value ?? null];
  return items
    .filter((item) => item !== null && item !== '')
    .map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
}

/** A text with its placeholders replaced once; `undefined` where a value is missing. `at`: which value of each list; a shorter list gives its last. */
function filled(text: string, texts: Texts, at = 0): string | undefined {
  let isComplete = true;
  const result = text.replaceAll(PLACEHOLDER, (whole, id: string) => {
    const all = texts.get(id);
    if (all === undefined) return whole;
    if (all.length === 0) isComplete = false;
    return all[Math.min(at, all.length - 1)] ?? '';
  });
  return isComplete ? result : undefined;
}

function started({ command, groups, env }: Launch, texts: Texts): StdioReach {
  const variables = filledPairs(env, texts);
  const args = groups.flatMap((group) => {
    if (group.variable !== undefined && !Object.hasOwn(variables, group.variable)) return [];
    const ids = group.texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, id = '']) => id));
    const times = group.isRepeated ? Math.max(1, ...ids.map((id) => texts.get(id)?.length ?? 0)) : 1;
    return Array.from({ length: times }, (_, at) => group.texts.map((text) => filled(text, texts, at))).flatMap((all) =>
      all.includes(undefined) ? [] : (all as string[]),
    );
  });
  return { type: 'stdio', command, args, env: variables };
}

function filledPairs(pairs: Readonly<Record<string, string>>, texts: Texts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(pairs).flatMap(([name, text]) => {
      const value = filled(text, texts);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function reached(reach: HttpReach, texts: Texts): HttpReach {
  const headers = filledPairs(reach.headers ?? {}, texts);
  for (const [name, value] of Object.entries(headers))
    if (!IN_HEADER.test(value))
      throw new RegistryError(
        'invalid-value',
        `The header ${name} cannot be sent: its value has a line end or a control character.`,
      );
  return { ...reach, url: filledUrl(reach.url, texts), headers };
}

/**
 * A value in the host part cannot hold anything that ends it, and elsewhere it is encoded, as URI templates say: the address stays that of the server that the
 * document names.
 */
function filledUrl(template: string, texts: Texts): string {
  const authority = /^[a-z]+:\/\/[^/?#]*/i.exec(template)?.[0] ?? '';
  for (const [, id = ''] of authority.matchAll(PLACEHOLDER))
    if (!IN_HOST.test(texts.get(id)?.[0] ?? ''))
      throw new RegistryError(
        'invalid-value',
        `The value of ${shown(id)} stands in the host of an address, and has characters that no host has.`,
      );
  const encoded = new Map([...texts].map(([id, all]) => [id, all.map(encodeURIComponent)]));
  const host = filled(authority, texts);
  const rest = filled(template.slice(authority.length), encoded);
  const url = host === undefined || rest === undefined ? undefined : host + rest;
  if (url === undefined || !URL.canParse(url))
    throw new RegistryError(
      'missing-values',
      `The address ${shown(template)} needs values that are not set or do not fit.`,
    );
  const { protocol, hostname } = new URL(url);
  const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return url;
  throw new RegistryError(
    'invalid-value',
    `The address ${shown(template)} is not encrypted: it has to begin with https://.`,
  );
}
