import { isJsonObject } from '../jsonrpc/message.ts';
import type { Family, MethodInfo } from '../revisions/revision.ts';

/** A method that an extension adds. It has no `needs`: it needs the extension. */
export interface ExtensionMethod extends Omit<MethodInfo, 'needs'> {
  /** The member of the params that the `Mcp-Name` header repeats over HTTP. */
  readonly namedBy?: string;
}

/** A member of `notifications` in `subscriptions/listen`: a list of the items that a client wants to be notified about. */
export interface ListenFilter {
  /** The notification that is sent for an item. */
  readonly notification: string;
  /** The member of the notification's params that names the item. */
  readonly about: string;
}

/**
 * Declares what an extension adds to the protocol, as data that both sides read. A side that is given an extension
 *
 * - declares it under `capabilities.extensions[id]`, with the settings of its own half, in the families that the extension is for;
 * - has its methods in its vocabulary, in those families. A server answers them only to a client that declared the extension (in this
 *   request, or in its handshake) and tells every other one which capability is missing, unless the extension is `declaredBy` the server
 *   alone; a client sends them only to a server that declared it. To a side that was not given the extension its methods do not exist;
 * - reads its result types: an answer with a `resultType` of the extension is accepted where the request declared the extension and the type
 *   may answer that method. Anywhere else such an answer is invalid;
 * - keeps its header rules: `Mcp-Name` is written and checked as `namedBy` says;
 * - has its listen filters: asked for by clients, granted item by item by servers.
 *
 * The behaviour of a side is written apart: in a `ServerExtension` for servers; a client program calls the methods itself.
 */
export interface Extension {
  /** A name such as `com.example/name`. */
  readonly id: string;
  /** The families in which the extension is negotiated; the per-request family when absent, since only that one has a general place for extensions. */
  readonly families?: readonly Family[];
  /** The sides that must declare the extension before its methods are used; both when absent. */
  readonly declaredBy?: 'both' | 'server';
  readonly methods?: Readonly<Record<string, ExtensionMethod>>;
  /** Values of `resultType` beside the protocol's own, and the methods that each may answer. */
  readonly results?: Readonly<Record<string, readonly string[]>>;
  /** Listen filters by member name. */
  readonly filters?: Readonly<Record<string, ListenFilter>>;
}

/** Where an extension holds the code of servers that have extensions: `defineExtension` puts it there, so that other servers do not carry it (0.7 kB gzip). */
export const SERVED: unique symbol = Symbol.for('crosspoint.served');

/** Whether a side has declared the extension. The declaration is an object of settings; any other value declares nothing. */
export function declares(capabilities: { readonly extensions?: object | undefined }, id: string): boolean {
  const { extensions } = capabilities;
  return isJsonObject(extensions) && Object.hasOwn(extensions, id) && isJsonObject(extensions[id]);
}
