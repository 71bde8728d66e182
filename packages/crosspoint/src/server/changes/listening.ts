import { isJsonObject, type JSONRPCNotification, type JsonObject, type RequestId } from '../../jsonrpc/message.ts';
import { keepText } from '../../jsonrpc/serialise.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { META_SUBSCRIPTION_ID } from '../../protocol/meta.ts';
import type { OfferedChange } from '../../protocol/listing.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { Caller } from '../calls/context.ts';
import type { ServerCore } from '../core.ts';
import { groupOf } from './groups.ts';

/** A change of the server's offers. The names are those of the notification. */
export type Change = (OfferedChange | ExtensionChange) & ChangeAudience;

/** Who is told of a change. */
export interface ChangeAudience {
  /** The only group that is told, as `byCaller` names it; all are when absent. */
  readonly group?: string | undefined;
}

/** A change for the streams that listed `about` under the filter of an extension. */
export interface ExtensionChange {
  readonly kind: 'extension';
  readonly filter: string;
  readonly about: string;
  readonly method: string;
  readonly params: JsonObject;
  /** Whether it is for the streams of this node alone, because every node announces it itself. */
  readonly isLocal?: boolean;
}

interface Filter {
  tools: boolean;
  prompts: boolean;
  resources: boolean;
  readonly uris: Set<string>;
  /** The group that its caller belongs to. */
  readonly group?: string;
  /** Items that extensions granted, by filter; most streams have none. */
  granted?: ReadonlyMap<string, ReadonlySet<string>>;
  onclosed?: () => void;
  readonly onlisten: Listened['onlisten'];
}

/** The context of a listen request, where `listenStreamOf` wants to know of its stream. */
export interface Listened {
  /** Told that the stream was opened, and that it has ended. */
  onlisten?: ((isOpen: boolean) => void) | undefined;
}

const MAX_STREAMS = 100;
/** Most URIs of one stream, and of one session. */
export const MAX_URIS = 10_000;

const MEMBERS = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

/** The notification of a change. */
export function changeNotification(change: Change): { method: string; params: JsonObject } {
  if (change.kind === 'extension') return change;
  if (change.kind === 'resource') return { method: 'notifications/resources/updated', params: { uri: change.uri } };
  return { method: `notifications/${change.kind}/list_changed`, params: {} };
}

/** Stands for the streams of a connection that never had any: most have none, and there may be many connections. */
const NONE: Map<RequestId, Filter> = new Map();

/** The `subscriptions/listen` streams of one connection. Each is an unanswered request; its id names it in every event. */
export class ListenStreams {
  #streams = NONE;
  readonly #max: number;

  constructor(max: number = MAX_STREAMS) {
    this.#max = max;
  }

  get ids(): Iterable<RequestId> {
    return this.#streams.keys();
  }

  has(id: RequestId): boolean {
    return this.#streams.has(id);
  }

  /** Opens a stream and grants those of its filters that the server can deliver, which may be none. */
  open(
    id: RequestId,
    params: JsonObject,
    core: Pick<ServerCore, 'capabilities' | 'mayWatch'>,
    caller: Caller,
  ): JsonObject {
    const capabilities = core.capabilities();
    const wanted = params['notifications'];
    if (!isJsonObject(wanted))
      throw new ProtocolError('invalid-params', 'subscriptions/listen needs notifications, an object.');
    if (this.#streams.size >= this.#max)
      throw new ProtocolError('rate-limited', `No more than ${this.#max} listen streams.`);
    const filter: Filter = {
      tools: wanted[MEMBERS.tools] === true && capabilities.tools?.listChanged === true,
      prompts: wanted[MEMBERS.prompts] === true && capabilities.prompts?.listChanged === true,
      resources: wanted[MEMBERS.resources] === true && capabilities.resources?.listChanged === true,
      uris: new Set(
        capabilities.resources?.subscribe
          ? readUris(wanted['resourceSubscriptions']).filter((uri) => core.mayWatch(uri, caller))
          : [],
      ),
      onlisten: (caller as Listened).onlisten,
      ...groupOf(caller),
    };
    const honored: JsonObject = {};
    for (const kind of ['tools', 'prompts', 'resources'] as const) if (filter[kind]) honored[MEMBERS[kind]] = true;
    if (filter.uris.size > 0) honored['resourceSubscriptions'] = [...filter.uris];
    if (this.#streams === NONE) this.#streams = new Map();
    this.#streams.set(id, filter);
    filter.onlisten?.(true);
    return honored;
  }

  /** Adds the items that extensions grant to a stream; returns them for the acknowledgement. */
  grant(id: RequestId, granted: Readonly<Record<string, readonly string[]>>): JsonObject {
    const stream = this.#streams.get(id);
    const given = Object.entries(granted).filter(([, items]) => items.length > 0);
    if (stream === undefined || given.length === 0) return {};
    stream.granted = new Map(given.map(([member, items]) => [member, new Set(items)]));
    return Object.fromEntries(given);
  }

  /** The streams that want this change. */
  *interested(change: Change): Iterable<RequestId> {
    for (const [id, filter] of this.#streams) if (wants(filter, change)) yield id;
  }

  /** Calls a function when the stream is closed. */
  onclosed(id: RequestId, run: () => void): void {
    const stream = this.#streams.get(id);
    if (stream) stream.onclosed = run;
  }

  close(id: RequestId): boolean {
    const stream = this.#streams.get(id);
    stream?.onclosed?.();
    stream?.onlisten?.(false);
    return this.#streams.delete(id);
  }
}

/** Whether a change is for a group: its own, or every one. */
export function isFor(group: string | undefined, change: Change): boolean {
  return change.group === undefined || change.group === group;
}

function wants(filter: Filter, change: Change): boolean {
  if (!isFor(filter.group, change)) return false;
  if (change.kind === 'resource') return filter.uris.has(change.uri);
  if (change.kind === 'extension') return filter.granted?.get(change.filter)?.has(change.about) === true;
  return filter[change.kind];
}

/** A change as text, written once for all streams: the stream's id goes between the two parts. */
export interface ChangeText {
  readonly before: string;
  readonly after: string;
}

/** The notification of a change in two halves; the JSON of a stream's id between them makes it a whole message. */
export function changeText(change: Change): ChangeText {
  const { method, params } = changeNotification(change);
  const whole = JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: { [META_SUBSCRIPTION_ID]: 0 } } });
  // The id comes last: it is the character before the three braces that close `_meta`, the params and the message.
  return { before: whole.slice(0, -4), after: '}}}' };
}

/** Params marked as belonging to a stream. */
export function marked(params: JsonObject, stream: RequestId): JsonObject {
  return { ...params, _meta: { ...(params['_meta'] as JsonObject | undefined), [META_SUBSCRIPTION_ID]: stream } };
}

function readUris(value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((uri) => typeof uri === 'string'))
    throw new ProtocolError('invalid-params', 'resourceSubscriptions must be a list of URIs.');
  if (value.length > MAX_URIS)
    throw new ProtocolError('invalid-params', `No more than ${MAX_URIS} resource subscriptions on one stream.`);
  return value;
}

type Words = JSONRPCNotification | undefined;

const written = new WeakMap<Change, Map<Revision, Words>>();

/**
 * The notification of a change as a revision writes it; `undefined` where the revision has none. Made once for all connections, with its text, so it
 * must not be altered.
 */
export function changeWords(change: Change, revision: Revision): Words {
  let known = written.get(change);
  if (known === undefined) written.set(change, (known = new Map<Revision, Words>()));
  if (known.has(revision)) return known.get(revision);
  const words = writeWords(change, revision);
  known.set(revision, words);
  return words;
}

function writeWords(change: Change, revision: Revision): Words {
  const { method, params } = changeNotification(change);
  const own = revision.writeNotification(method, params);
  return own && keepText(Object.freeze({ jsonrpc: '2.0', method, params: Object.freeze({ ...own }) } as const));
}
