import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { attempt } from '../runtime/guard.ts';
import { declares, type Extension } from '../extensions/extension.ts';
import { ExtensionSet, type FoundFilter } from '../extensions/extension-set.ts';
import type { ServerContext } from './calls/context.ts';
import type { RequestHandler } from './calls/handler.ts';
import { MAX_URIS } from './changes/listening.ts';
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

/** Something that `server.use(…)` brings in as a whole, such as `tasks()`. */
export interface ServerFeature {
  /** @internal Called by `use`. */
  install(server: Server): void;
}

/** Granted items by listen filter. */
export type Granted = Readonly<Record<string, readonly string[]>>;

/** The extensions of one server, and the callers that their handlers answer. */
export class ServerExtensions {
  readonly #set = new ExtensionSet();
  readonly #halves = new Map<string, ServerExtension>();

  add(half: ServerExtension): void {
    this.#set.add(half.extension);
    this.#halves.set(half.extension.id, half);
  }

  has(id: string): boolean {
    return this.#set.has(id);
  }

  /** The extensions that a handshake declares. */
  inHandshake({ extensions }: ServerCapabilities): JsonObject | undefined {
    return this.#set.inFamily('handshake', extensions);
  }

  namedBy(method: string): string | undefined {
    return this.#set.namedBy(method);
  }

  /** The handler of a method that the revision lacks; throws `missing-capability` when it exists, but not for this caller. */
  handlerFor({ inbound: { method }, family, capabilities }: ServerContext): RequestHandler | undefined {
    const found = this.#set.method(method, family);
    if (found === undefined || found.info.kind !== 'request' || found.info.sender === 'server') return undefined;
    const { id, declaredBy } = found.extension;
    if (declaredBy !== 'server' && !declares(capabilities, id)) throw missingExtension(id);
    return this.#halves.get(id)?.handlers?.[method];
  }

  /** The items that a caller of `subscriptions/listen` is granted under filters of extensions; `undefined` when it names none. */
  grants(params: JsonObject, ctx: ServerContext): Promise<Granted> | undefined {
    const { notifications } = params;
    if (!isJsonObject(notifications)) return undefined;
    const wanted = [...this.#set.filters].filter(([member]) => notifications[member] !== undefined);
    if (wanted.length === 0) return undefined;
    for (const [, { extension }] of wanted)
      if (extension.declaredBy !== 'server' && !declares(ctx.capabilities, extension.id))
        throw missingExtension(extension.id);
    return this.#grantEach(
      wanted.map(([member, { extension }]) => [extension.id, member, readItems(member, notifications[member])]),
      ctx,
    );
  }

  filter(member: string): FoundFilter | undefined {
    return this.#set.filter(member);
  }

  /** Tells the extensions of a stream that was opened with these items. */
  opened(granted: Granted, onproblem: (problem: Error) => void): void {
    for (const [member, items] of Object.entries(granted)) {
      const found = items.length === 0 ? undefined : this.filter(member);
      if (found) attempt(() => this.#halves.get(found.extension.id)?.opened?.(member, items), onproblem);
    }
  }

  async #grantEach(
    wanted: readonly (readonly [id: string, member: string, items: readonly string[]])[],
    ctx: ServerContext,
  ): Promise<Granted> {
    const granted: Record<string, readonly string[]> = {};
    for (const [id, member, items] of wanted) {
      const half = this.#halves.get(id);
      const given: unknown = half?.granted ? await half.granted(member, items, ctx) : items;
      if (!Array.isArray(given)) throw new TypeError(`granted() of the extension ${id} must return a list of texts.`);
      granted[member] = given as string[];
    }
    return granted;
  }
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
  if (value.length > MAX_URIS)
    throw new ProtocolError('invalid-params', `No more than ${MAX_URIS} items under ${member} on one stream.`);
  return value;
}
