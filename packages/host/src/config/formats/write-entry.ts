import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import { DIALECTS } from '../interpolation/dialects.ts';
import type { LostField } from '../problem.ts';
import type { HttpReach, OAuthSettings, ServerEntry, StdioReach } from '../server-entry.ts';
import { joined, leavesOf } from './members.ts';
import type { FormatShape } from './shape.ts';
import { sourcePointer } from './shapes.ts';

type Path = readonly (string | number)[];
type Lose = (path: Path, why: string) => void;

/** Members of other formats that say what a member of the entry says already. */
const SAID_ELSEWHERE = ['type', 'disabled'];

/** The object of one entry in a format; `undefined` when the format has no place for such a server. */
export function writeEntry(
  shape: FormatShape,
  entry: ServerEntry,
  lost: LostField[],
): Readonly<Record<string, Json | undefined>> | undefined {
  const lose: Lose = (path, why) => lost.push({ pointer: sourcePointer(entry, path), server: entry.name, why });
  const { reach } = entry;
  if (reach.type === 'transport') {
    lose([], 'A transport of the program cannot be written down.');
    return undefined;
  }
  if (reach.type !== 'stdio' && shape.remote === undefined) {
    lose([], `${shape.title} has no servers at an address in its file; add it there as a connector.`);
    return undefined;
  }
  const body = reach.type === 'stdio' ? writeStdio(shape, reach, lose) : writeHttp(shape, reach, lose);
  return joined({ ...body, ...writeMembers(shape, entry, lose) }, writeOther(shape, entry, lose));
}

function writeStdio(shape: FormatShape, reach: StdioReach, lose: Lose): JsonObject {
  const { fields, allowsNull, writesType } = shape.stdio;
  const body: Record<string, Json> = { ...(writesType && { type: 'stdio' }), command: reach.command };
  for (const field of ['args', 'env', 'envFile', 'cwd'] as const) {
    const value = reach[field];
    if (value === undefined) continue;
    if (!fields.includes(field)) lose([field], `${shape.title} has no "${field}".`);
    else if (typeof value === 'string' || Array.isArray(value)) body[field] = value as Json;
    else body[field] = writeEnv(reach.env ?? {}, allowsNull ? undefined : lose, shape.title);
  }
  return body;
}

/** The variables; those that are removed are told to `lose`, where there is no word for that. */
function writeEnv(env: Readonly<Record<string, string | null>>, lose: Lose | undefined, title: string): JsonObject {
  if (lose === undefined) return env;
  const kept = Object.entries(env).filter(([name, value]) => {
    if (value === null) lose(['env', name], `${title} cannot remove an inherited variable.`);
    return value !== null;
  });
  return Object.fromEntries(kept);
}

function writeHttp(shape: FormatShape, reach: HttpReach, lose: Lose): JsonObject {
  const types = Object.entries(shape.remote?.types ?? {});
  const word = types.find(([, type]) => type === reach.type)?.[0];
  if (word === undefined && reach.type === 'sse')
    lose(['type'], `${shape.title} has no "type": it finds the transport itself.`);
  const oauth = reach.oauth === undefined ? undefined : writeOAuth(shape, reach.oauth, lose);
  return {
    ...(word !== undefined && { type: word }),
    url: reach.url,
    ...(reach.headers !== undefined && { headers: reach.headers }),
    ...(oauth !== undefined && { [shape.remote?.oauth?.key ?? 'oauth']: oauth }),
  };
}

function writeOAuth(shape: FormatShape, settings: OAuthSettings, lose: Lose): JsonObject | undefined {
  const { names = {}, hasScopesAsText = false } = shape.remote?.oauth ?? {};
  const written: Record<string, Json> = {};
  for (const [key, value] of Object.entries(settings) as [keyof OAuthSettings, Json][]) {
    const name = names[key];
    if (name === undefined) lose(['oauth', key], `${shape.title} has no such setting of a login.`);
    else written[name] = hasScopesAsText && Array.isArray(value) ? value.join(' ') : value;
  }
  const hasPlace = Object.keys(written).length > 0 || Object.keys(settings).length === 0;
  return hasPlace ? written : undefined;
}

function writeMembers(shape: FormatShape, entry: ServerEntry, lose: Lose): JsonObject {
  const written: Record<string, Json> = {};
  for (const member of ['isDisabled', 'timeoutMs', 'alwaysLoad', 'roots', 'isTrusted'] as const) {
    const value = entry[member];
    const name = shape.names[member];
    if (value === undefined) continue;
    if (name !== undefined) written[name] = value as Json;
    else if (member !== 'isDisabled' || !keepsDisabled(shape, entry))
      lose([FILE_NAMES[member]], `${shape.title} has no such member.`);
  }
  return written;
}

/** The names of members in files of formats that have none of their own for them. */
const FILE_NAMES = {
  isDisabled: 'disabled',
  timeoutMs: 'timeoutMs',
  alwaysLoad: 'alwaysLoad',
  roots: 'roots',
  isTrusted: 'trusted',
} as const;

function keepsDisabled(shape: FormatShape, { origin, other }: ServerEntry): boolean {
  return origin.format === shape.id && other?.['disabled'] !== undefined;
}

/** The members that only the entry's own format has: written there, kept apart where there is a place, lost otherwise. */
function writeOther(shape: FormatShape, entry: ServerEntry, lose: Lose): JsonObject {
  const { format } = entry.origin;
  if (format === shape.id) return entry.other ?? {};
  const other = Object.fromEntries(Object.entries(entry.other ?? {}).filter(([key]) => !SAID_ELSEWHERE.includes(key)));
  if (Object.keys(other).length === 0) return {};
  if (shape.extra !== undefined) return { [shape.extra]: { [format]: other } };
  const { own, others } = format === 'crosspoint' ? splitExtra(shape.id, other) : { own: {}, others: other };
  for (const path of leavesOf(others)) lose(path, `Only ${DIALECTS[format].title} has this member.`);
  return own;
}

/** The part of `extra` that was kept for a format, and everything else. */
export function splitExtra(format: string, members: JsonObject): { own: JsonObject; others: JsonObject } {
  const { extra, ...others } = members;
  if (!isObject(extra)) return { own: {}, others: extra === undefined ? others : members };
  const { [format]: own, ...left } = extra;
  return {
    own: isObject(own) ? own : {},
    others: Object.keys(left).length > 0 ? { ...others, extra: left } : others,
  };
}
