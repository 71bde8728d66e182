import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { attempt } from '../runtime/guard.ts';
import { declares, type Extension, type SERVED } from '../extensions/extension.ts';
import { ExtensionSet } from '../extensions/extension-set.ts';
import type { ServerContext } from './calls/context.ts';
import type { RequestHandler } from './calls/handler.ts';
import type { Server } from './server.ts';

/** The server's half of an extension, added with `server.use(half)`. */
export interface ServerExtension {
  readonly extension: Extension;
  /** The settings declared under its id; `{}` when absent. */
  readonly settings?: JsonObject;
  /** Handlers by method. A method without one is not found. */
  readonly handlers?: Readonly<Record<string, RequestHandler>>;
  /** Chooses the items of a listen filter that a caller may be notified about; all when absent. */
  granted?(
    member: string,
    items: readonly string[],
    ctx: ServerContext,
  ): readonly string[] | Promise<readonly string[]>;
  /** Called when a stream was acknowledged with these items: later notifications reach it. */
  opened?(member: string, items: readonly string[]): void;
}

/** An extension that `defineExtension` has made. */
export interface ServedExtension extends Extension {
  readonly [SERVED]?: typeof ServerExtensions;
}

/** Something that `server.use(…)` brings in as a whole, such as `tasks()`. */
export interface ServerFeature {
  /** @internal Called by `use`. */
  install(server: Server): void;
}

/** Items under one filter of a stream. */
const MAX_ITEMS = 10_000;

/** Granted items by listen filter. */
export type Granted = Readonly<Record<string, readonly string[]>>;

/** The extensions of one server, and the callers that their handlers answer. */
export class ServerExtensions extends ExtensionSet<ServerExtension> {
  /** The handler of a method that the revision lacks; throws `missing-capability` when it exists, but not for this caller. */
  handlerFor({ inbound: { method }, family, capabilities }: ServerContext): RequestHandler | undefined {
    const half = this.forMethod(method, family);
    const info = half?.extension.methods?.[method];
    if (half === undefined || info?.kind !== 'request' || info.sender === 'server') return undefined;
    requireDeclared(half, capabilities);
    return half.handlers?.[method];
  }

  /** The items that a caller of `subscriptions/listen` is granted under filters of extensions; `undefined` when it names none. */
  grants({ notifications }: JsonObject, ctx: ServerContext): Promise<Granted> | undefined {
    if (!isJsonObject(notifications)) return undefined;
    const wanted = Object.entries(notifications).flatMap(([member, items]): Wanted[] => {
      const half = items === undefined ? undefined : this.owner('filters', member);
      if (half === undefined) return [];
      requireDeclared(half, ctx.capabilities);
      return [{ half, member, items: readItems(member, items) }];
    });
    return wanted.length === 0 ? undefined : grantEach(wanted, ctx);
  }

  /** Tells the extensions of a stream that was opened with these items. */
  opened(granted: Granted, onproblem: (problem: Error) => void): void {
    for (const [member, items] of Object.entries(granted))
      if (items.length > 0) attempt(() => this.owner('filters', member)?.opened?.(member, items), onproblem);
  }
}

/** Items that a client lists under a filter. */
interface Wanted {
  readonly half: ServerExtension;
  readonly member: string;
  readonly items: readonly string[];
}

async function grantEach(wanted: readonly Wanted[], ctx: ServerContext): Promise<Granted> {
  const granted: Record<string, readonly string[]> = {};
  for (const { half, member, items } of wanted) {
    const given: unknown = half.granted ? await half.granted(member, items, ctx) : items;
    if (!Array.isArray(given))
      throw new TypeError(`granted() of the extension ${half.extension.id} must return a list of texts.`);
    granted[member] = given as string[];
  }
  return granted;
}

function requireDeclared({ extension: { id, declaredBy } }: ServerExtension, capabilities: ClientCapabilities): void {
  if (declaredBy !== 'server' && !declares(capabilities, id)) throw missingExtension(id);
}

/** The error for a caller that did not declare the extension its request needs. */
export function missingExtension(id: string): ProtocolError {
  return new ProtocolError('missing-capability', `The client did not declare the extension ${id}.`, {
    requiredCapabilities: { extensions: { [id]: {} } },
  });
}

function readItems(member: string, value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new ProtocolError('invalid-params', `${member} must be a list of texts.`);
  if (value.length > MAX_ITEMS)
    throw new ProtocolError('invalid-params', `No more than ${MAX_ITEMS} items under ${member} on one stream.`);
  return value;
}
