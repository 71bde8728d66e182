import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import { answerList } from '../offering/lists.ts';
import type { Entry, Registry } from '../offering/registry.ts';
import { refusePublicLists, type CallerPart } from './caller-mounts.ts';
import { NO_ENTRIES, type MountedEntries } from './entries.ts';
import type { MountableServer } from './mountable.ts';
import { withOwnMiddleware } from './own-middleware.ts';
import { serverEntries } from './server-entries.ts';

/** The features that the list methods are about, and the members of their results. */
const LISTS = new Map<string, readonly [feature: keyof MountedEntries, member: string]>([
  ['tools/list', ['tools', 'tools']],
  ['prompts/list', ['prompts', 'prompts']],
  ['resources/list', ['resources', 'resources']],
  ['resources/templates/list', ['templates', 'resourceTemplates']],
]);

interface Place {
  readonly prefix: string;
  readonly rename: (name: string) => string;
  readonly order: number;
  readonly into: MountableServer;
  /** The entries of the mount that are registered for all callers. */
  readonly registered: () => MountedEntries;
}

/** A mounted server, as far as its offers differ by caller: its middleware stands around its lists, and it may have mounted sources that differ. */
export class ServerPart implements CallerPart {
  readonly #server: MountableServer;
  readonly #place: Place;
  /** Entries by the registry that they were made of. */
  readonly #made = new WeakMap<Registry, MountedEntries>();

  constructor(server: MountableServer, place: Place) {
    this.#server = server;
    this.#place = place;
  }

  get prefix(): string {
    return this.#place.prefix;
  }

  get registered(): MountedEntries {
    return this.#place.registered();
  }

  varies(method: string): boolean {
    const { catalogue, core } = this.#server;
    return catalogue.byCaller?.varies(method) === true || (core.chain !== undefined && LISTS.has(method));
  }

  async entriesFor(request: HandledRequest, ctx: ServerContext): Promise<MountedEntries> {
    const registry = await this.#registryFor(request, ctx);
    const list = LISTS.get(request.method);
    if (list !== undefined && this.#server.core.chain !== undefined)
      return this.#listed(registry, request.method, list, ctx);
    let entries = this.#made.get(registry);
    if (entries === undefined) this.#made.set(registry, (entries = this.#placed(registry)));
    return entries;
  }

  /** Everything that the mounted server offers the caller, as far as the request is about it. */
  async #registryFor({ method, params }: HandledRequest, ctx: ServerContext): Promise<Registry> {
    const { catalogue } = this.#server;
    if (catalogue.byCaller?.varies(method) === true) refusePublicLists(this.#place.into);
    let found = catalogue.registry;
    const asked = { method, params: LISTS.has(method) ? {} : this.#ownWords(params) };
    await catalogue.byCaller?.answer(
      (registry) => {
        found = registry;
        return {};
      },
      asked,
      ctx,
    );
    return found;
  }

  /** Params with the name that the mounted server has for the entry. */
  #ownWords(params: JsonObject): JsonObject {
    const { name, ref } = params;
    const cut = (text: unknown): unknown =>
      typeof text === 'string' && this.prefix !== '' ? text.slice(this.prefix.length + 1) : text;
    if (isJsonObject(ref) && ref['name'] !== undefined) return { ...params, ref: { ...ref, name: cut(ref['name']) } };
    return name === undefined ? params : { ...params, name: cut(name) };
  }

  /** The entries in their places: those that are registered for all keep theirs. */
  #placed(registry: Registry): MountedEntries {
    const { rename, order } = this.#place;
    const { registered } = this;
    const found = serverEntries({ core: this.#server.core, registry: () => registry }, rename);
    const place = <E extends Entry>(entries: ReadonlyMap<string, E>, known: ReadonlyMap<string, E>): Map<string, E> =>
      new Map([...entries].map(([key, entry], index) => [key, { ...entry, order, index, ...placeOf(known.get(key)) }]));
    return {
      tools: place(found.tools, registered.tools),
      resources: place(found.resources, registered.resources),
      templates: place(found.templates, registered.templates),
      prompts: place(found.prompts, registered.prompts),
    };
  }

  /** One list as the middleware of the mounted server lets it pass; entries that only a middleware knows are left out, since they could not be used. */
  async #listed(
    registry: Registry,
    method: string,
    [feature, member]: readonly [keyof MountedEntries, string],
    ctx: ServerContext,
  ): Promise<MountedEntries> {
    const { rename, order } = this.#place;
    const whole: Registry = {
      ...registry,
      pageSize: Number.POSITIVE_INFINITY,
      lists: { ordered: new Map(), pages: new Map() },
    };
    const list = (params: JsonObject): JsonObject | Promise<JsonObject> => answerList(whole, { method, params }, ctx);
    const result = await withOwnMiddleware(this.#server.core, ctx, { method, params: {} }, list);
    const items: unknown = result[member];
    const entries = new Map<string, Entry & { definition: object }>();
    for (const [index, item] of (Array.isArray(items) ? (items as unknown[]) : []).entries()) {
      if (!isJsonObject(item)) continue;
      const { name, uri } = item;
      const place = { order, index, enabled: true, visible: undefined };
      if (feature === 'resources') entries.set(String(uri), { ...place, definition: item });
      else if (registry[feature].has(String(name)))
        entries.set(rename(String(name)), { ...place, definition: { ...item, name: rename(String(name)) } });
    }
    // Read for this one list alone, which needs the definitions. Resources of templates are among them, so no template lists its own again.
    return { ...NO_ENTRIES, [feature]: entries };
  }
}

function placeOf(entry: Entry | undefined): Partial<Entry> {
  return entry === undefined ? {} : { order: entry.order, index: entry.index ?? 0 };
}
