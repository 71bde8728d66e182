import type { Transcript } from './transcript.ts';

/** A place where what a client saw with and without the bridge differs. */
export interface Difference {
  /** The step, then the members on the way to the place. */
  readonly path: string;
  readonly direct: unknown;
  readonly bridged: unknown;
}

const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g;
/** The words that official clients, and official servers of the first generation, put before a message. */
const PREFIX = /^(?:MCP error -?\d+: )+/;
/** Members that each hop makes for itself. */
const OF_THE_HOP = new Set(['resultType', 'ttlMs', 'cacheScope', 'requestState']);
const META_OF_THE_HOP = /^io\.modelcontextprotocol\//;

/** A transcript without what is different each time (ids, times), and without the members that each hop makes for itself. */
export function normalise(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(ID, '<id>').replaceAll(TIME, '<time>').replace(PREFIX, '');
  if (Array.isArray(value)) return value.map(normalise);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .filter(([name, member]) => member !== undefined && !OF_THE_HOP.has(name))
    .map(([name, member]) => [name, name === '_meta' ? normaliseMeta(member) : normalise(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function normaliseMeta(meta: unknown): unknown {
  const own = Object.entries(meta as object).filter(([key]) => !META_OF_THE_HOP.test(key) && key !== 'progressToken');
  return own.length === 0 ? undefined : normalise(Object.fromEntries(own));
}

/** The differences between two transcripts, apart from those that `normalise` takes away. */
export function compare(direct: Transcript, bridged: Transcript): Difference[] {
  return [...differences('', normalise(direct), normalise(bridged))];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function* differences(path: string, direct: unknown, bridged: unknown): Generator<Difference> {
  if (isObject(direct) && isObject(bridged) && Array.isArray(direct) === Array.isArray(bridged)) {
    const names = new Set([...Object.keys(direct), ...Object.keys(bridged)]);
    for (const name of names) yield* differences(path === '' ? name : `${path} › ${name}`, direct[name], bridged[name]);
  } else if (direct !== bridged) yield { path, direct, bridged };
}
