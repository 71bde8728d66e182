import { isObject, type Json } from '../../values/json.ts';
import { visibleLine } from '../../values/visible-text.ts';
import { DIALECTS } from '../interpolation/dialects.ts';
import { faultOf, parseTemplate } from '../interpolation/template.ts';
import type { HttpReach, OAuthSettings, Origin, Reach, ServerEntry, StdioReach } from '../server-entry.ts';
import { textsOf } from '../texts.ts';
import { MemberReader } from './member-reader.ts';
import type { EntryOrigin, FormatShape, OAuthShape, ProblemSink } from './shape.ts';
import { sourcePointer } from './shapes.ts';

const MAX_NAME = 200;
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
const EDGE_SPACE = /^\s|\s$/;
const OTHER_SCHEME = /^(?:unix|pipe|wss?|file):/i;
const USUAL_TYPES = { http: 'http', 'streamable-http': 'http', sse: 'sse' } as const;

type Kind = 'stdio' | HttpReach['type'];

export interface RawEntry {
  readonly name: string;
  readonly value: Json;
  readonly pointer: string;
  readonly origin: EntryOrigin;
}

/** The entry that a member of the servers describes; `undefined` when it cannot be used, which `sink` is told. */
export function readEntry(shape: FormatShape, raw: RawEntry, sink: ProblemSink): ServerEntry | undefined {
  const { name, value, pointer } = raw;
  const origin: Origin = { ...raw.origin, pointer };
  const refuse = (message: string): undefined =>
    sink.report({ severity: 'error', code: 'type', pointer, message, server: name }) as undefined;
  if (name.trim() === '' || name.length > MAX_NAME || UNSEEN.test(name))
    return refuse(`The name of a server must have 1 to ${MAX_NAME} characters, all of them visible.`);
  if (!isObject(value)) return refuse('must be an object.');
  const reader = new MemberReader(value, { pointer, server: name }, sink);
  const reach = readReach(reader, shape);
  const members = readMembers(reader, shape, origin);
  if (reach === undefined || reader.hasErrors) return undefined;
  noteNotFollowed(reader, shape);
  const other = { ...reader.others(), ...unreadOAuth(value, shape) };
  const entry = { name, reach, origin, ...members, ...(Object.keys(other).length > 0 && { other }) };
  noteTexts(entry, sink);
  return entry;
}

function readReach(reader: MemberReader, shape: FormatShape): Reach | undefined {
  const kind = kindOf(reader, shape);
  if (kind === undefined) return undefined;
  if (kind !== 'stdio') return readHttp(reader, shape, kind);
  const { fields, allowsNull } = shape.stdio;
  const command = reader.text('command');
  const args = reader.texts('args');
  const env = allowsNull ? reader.nullableTextMap('env') : reader.textMap('env');
  const envFile = fields.includes('envFile') ? reader.text('envFile') : undefined;
  const cwd = fields.includes('cwd') ? reader.text('cwd') : undefined;
  if (command?.trim() === '') reader.error('missing', 'command', 'must not be empty.');
  const reach: StdioReach = {
    type: 'stdio',
    command: command ?? '',
    ...(args !== undefined && { args }),
    ...(env !== undefined && { env }),
    ...(envFile !== undefined && { envFile }),
    ...(cwd !== undefined && { cwd }),
  };
  return reach;
}

/** How the entry is reached, from `type` and the members that are there. */
function kindOf(reader: MemberReader, shape: FormatShape): Kind | undefined {
  const [hasCommand, hasUrl] = [reader.has('command'), reader.has('url')];
  const type = reader.value['type'];
  if (hasCommand && hasUrl) {
    reader.error('ambiguous', undefined, 'has both "command" and "url": remove one of them.');
    return undefined;
  }
  if (!hasCommand && !hasUrl) {
    reader.error('missing', undefined, 'has neither "command" nor "url".');
    return undefined;
  }
  const kind = type === undefined ? untypedKind(reader, shape, hasUrl) : typedKind(reader, shape);
  if (kind !== undefined && (kind === 'stdio') === hasUrl) {
    const wanted = kind === 'stdio' ? 'command' : 'url';
    reader.error('missing', undefined, `needs "${wanted}" for its type, and has "${hasUrl ? 'url' : 'command'}".`);
    return undefined;
  }
  return kind;
}

function untypedKind(reader: MemberReader, { remote, title }: FormatShape, hasUrl: boolean): Kind | undefined {
  if (!hasUrl) return 'stdio';
  if (remote === undefined) {
    reader.error('unsupported', 'url', `${title} has servers with a command alone: add a server at an address there.`);
    return undefined;
  }
  const words = Object.keys(remote.types)
    .map((word) => `"${word}"`)
    .join(' or ');
  if (remote.withoutType === 'error') {
    reader.error('missing', 'url', `"url" without "type" is read as a command by ${title}: add "type": ${words}.`);
    return undefined;
  }
  if (remote.withoutType === 'warning') reader.warn('missing', 'url', `${title} wants "type": ${words} beside "url".`);
  return 'http';
}

function typedKind(reader: MemberReader, { remote, title }: FormatShape): Kind | undefined {
  const type = reader.value['type'];
  const isUntyped = remote !== undefined && Object.keys(remote.types).length === 0;
  const words: Readonly<Record<string, Kind>> = {
    stdio: 'stdio',
    ...(isUntyped ? USUAL_TYPES : remote?.types),
  };
  // A format without types for addresses keeps the word among its other members.
  if (!isUntyped || type === 'stdio') reader.take('type');
  if (typeof type === 'string' && Object.hasOwn(words, type)) return words[type];
  const known = Object.keys(words)
    .map((word) => `"${word}"`)
    .join(', ');
  const found = typeof type === 'string' ? `"${visibleLine(type.slice(0, 40))}"` : 'no text';
  reader.error('unsupported', 'type', `is ${found}; servers of ${title} that are supported here have ${known}.`);
  return undefined;
}

function readHttp(reader: MemberReader, shape: FormatShape, type: HttpReach['type']): HttpReach {
  const url = reader.text('url') ?? '';
  const headers = reader.textMap('headers');
  const oauth = shape.remote?.oauth === undefined ? undefined : readOAuth(reader, shape.remote.oauth);
  if (OTHER_SCHEME.test(url))
    reader.warn('unsupported', 'url', 'is an address that cannot be connected to here: use http or https.');
  return { type, url, ...(headers !== undefined && { headers }), ...(oauth !== undefined && { oauth }) };
}

function readOAuth(parent: MemberReader, shape: OAuthShape): OAuthSettings | undefined {
  const reader = parent.object(shape.key);
  if (reader === undefined) return undefined;
  const { names } = shape;
  const text = (name: string | undefined): string | undefined => (name === undefined ? undefined : reader.text(name));
  const [clientId, clientSecret] = [text(names.clientId), text(names.clientSecret)];
  const authServerMetadataUrl = text(names.authServerMetadataUrl);
  const callbackPort = names.callbackPort === undefined ? undefined : reader.count(names.callbackPort);
  const scopes =
    shape.hasScopesAsText === true ? words(text(names.scopes)) : names.scopes && reader.texts(names.scopes);
  if (reader.hasErrors) parent.error('type', shape.key, 'has members that cannot be used.');
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(Array.isArray(scopes) && { scopes }),
    ...(callbackPort !== undefined && { callbackPort }),
    ...(authServerMetadataUrl !== undefined && { authServerMetadataUrl }),
  };
}

function words(text: string | undefined): readonly string[] | undefined {
  return text?.split(/\s+/).filter((word) => word !== '');
}

/** Members of the login that the format's shape does not name. */
function unreadOAuth(value: Readonly<Record<string, Json | undefined>>, shape: FormatShape): Record<string, Json> {
  const oauth = shape.remote?.oauth;
  const settings = oauth === undefined ? undefined : value[oauth.key];
  if (oauth === undefined || !isObject(settings) || value['url'] === undefined) return {};
  const known = Object.values(oauth.names);
  const left = Object.entries(settings).filter(([key]) => !known.includes(key));
  return left.length === 0 ? {} : { [oauth.key]: Object.fromEntries(left) };
}

type Members = Omit<ServerEntry, 'name' | 'reach' | 'origin' | 'other'>;

function readMembers(reader: MemberReader, { names }: FormatShape, { scope }: Origin): Members {
  const isDisabled = names.isDisabled === undefined ? reader.value['disabled'] : reader.boolean(names.isDisabled);
  const timeoutMs = names.timeoutMs === undefined ? undefined : reader.count(names.timeoutMs);
  const alwaysLoad = names.alwaysLoad === undefined ? undefined : reader.boolean(names.alwaysLoad);
  const roots = names.roots === undefined ? undefined : reader.texts(names.roots);
  return {
    ...(typeof isDisabled === 'boolean' && { isDisabled }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(alwaysLoad !== undefined && { alwaysLoad }),
    ...(roots !== undefined && { roots }),
    ...(names.isTrusted !== undefined && readTrusted(reader, names.isTrusted, scope)),
  };
}

/** A file of a repository may not say that its own servers are to be believed. */
function readTrusted(reader: MemberReader, key: string, scope: Origin['scope']): { isTrusted?: boolean } {
  if (!reader.has(key)) return {};
  if (scope === 'project' || scope === 'bundle') {
    reader.warn('ignored', key, 'is ignored in the file of a repository: set it in your own configuration.');
    return {};
  }
  const isTrusted = reader.boolean(key);
  return isTrusted === undefined ? {} : { isTrusted };
}

function noteNotFollowed(reader: MemberReader, { notFollowed = [] }: FormatShape): void {
  for (const { key, why, matters } of notFollowed)
    if (reader.has(key) && matters(reader.value[key] ?? null)) reader.warn('ignored', key, why);
}

/** Warns of spaces at the ends of values, and of references that cannot be expanded. */
function noteTexts(entry: ServerEntry, sink: ProblemSink): void {
  const texts = [...textsOf(entry.reach), ...(entry.roots ?? []).map((text, at) => ({ path: ['roots', at], text }))];
  for (const { path, text } of texts) {
    const at = { pointer: sourcePointer(entry, path), server: entry.name };
    if (EDGE_SPACE.test(text))
      sink.report({ ...at, severity: 'warning', code: 'whitespace', message: 'begins or ends with a space.' });
    for (const part of parseTemplate(text, DIALECTS[entry.origin.format])) {
      const fault = faultOf(part);
      if (fault !== undefined) sink.report({ ...at, severity: 'error', code: 'reference', message: `${fault}.` });
    }
  }
}
