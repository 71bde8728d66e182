import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { asError } from '../../runtime/guard.ts';
import type { ServerCore } from '../core.ts';
import type { McpServer } from '../mcp-server.ts';
import { requireTasks } from '../tasks/task-support.ts';
import { addMiddleware, type ServerMiddleware } from '../calls/middleware.ts';
import { groupOf, putInGroup } from '../changes/groups.ts';
import { CallerMounts, refusePublicLists } from './caller-mounts.ts';
import { NO_ENTRIES, prefixer, type MountedEntries } from './entries.ts';
import { mountableOf, type MountableServer } from './mountable.ts';
import { serverEntries } from './server-entries.ts';
import { replaceEntries } from './replace-entries.ts';
import { ServerPart } from './server-part.ts';
import { sourceEntries } from './source-entries.ts';
import { SourcePart } from './source-part.ts';
import type { Mounted, ServerSource, SourceChange } from './source.ts';

/** The servers that each server has mounted, to refuse circles. */
const mountedBy = new WeakMap<ServerCore, Set<ServerCore>>();

/**
 * Offers on `server` what another server or source offers: its tools and prompts under `prefix_name`, its resources under their own URIs. Throws when one of
 * them is taken already; changes are followed. A server is mounted at once, another source when it has said what it offers, or at once where that differs by
 * caller (`offersTo`).
 */
export function mount(server: McpServer, prefix: string, source: McpServer): Mounted;
export function mount(server: McpServer, prefix: string, source: ServerSource): Promise<Mounted>;
export function mount(server: McpServer, prefix: string, source: McpServer | ServerSource): Mounted | Promise<Mounted> {
  const into = mountableOf(server);
  if (into === undefined) throw new TypeError('Only an McpServer can mount.');
  const other = mountableOf(source);
  return other === undefined ? mountSource(into, prefix, source) : mountServer(into, prefix, other);
}

/** Mounts a server: at once, and without a connection between the two. */
function mountServer(into: MountableServer, prefix: string, source: MountableServer): Mounted {
  if (source.core === into.core || reaches(source.core, into.core))
    throw new TypeError('A server cannot be mounted on itself, nor on what it has mounted.');
  const rename = prefixer(prefix);
  const mount = new Mount(into, () => serverEntries(source, rename));
  mount.replace(serverEntries(source, rename));
  into.declare(calledFor(source));
  const order = into.catalogue.reserve();
  const leave = CallerMounts.add(
    into,
    new ServerPart(source, { prefix, rename, order, registered: () => mount.registered, into }),
  );
  const mounted = mountedBy.get(into.core) ?? new Set();
  mountedBy.set(into.core, mounted.add(source.core));
  const stop = source.core.attach({
    tell: (change) => {
      if (change.kind === 'extension') return;
      into.declare(calledFor(source));
      mount.changed(change);
    },
  });
  return handleOf(mount, prefix, () => {
    stop();
    leave();
    mounted.delete(source.core);
  });
}

/** Mounts any other source, once it has listed its offers. */
async function mountSource(into: MountableServer, prefix: string, source: ServerSource): Promise<Mounted> {
  const rename = prefixer(prefix);
  if (source.offersTo !== undefined) return mountVarying(into, prefix, source);
  if (typeof source.list !== 'function') throw new TypeError('A source has list() or offersTo(ctx).');
  const { list } = source;
  const entries = async (): Promise<MountedEntries> => sourceEntries(source, await list.call(source), { rename });
  const mount = new Mount(into, entries);
  mount.replace(await entries());
  const stop = source.watch?.((change) => mount.changed(change));
  return handleOf(mount, prefix, async () => {
    stop?.();
    await source.close?.();
  });
}

/** Mounts a source that differs by caller. Its offers are found out with each request, so nothing is registered. */
function mountVarying(into: MountableServer, prefix: string, source: ServerSource): Mounted {
  refusePublicLists(into);
  const part = new SourcePart(source, {
    prefix,
    order: into.catalogue.reserve(),
    onproblem: (problem) => into.core.onproblem(problem),
  });
  const { callTool, readResource, getPrompt, complete } = source;
  into.declare({
    ...(callTool && { tools: { listChanged: true } }),
    ...(readResource && { resources: { listChanged: true } }),
    ...(getPrompt && { prompts: { listChanged: true } }),
    ...(complete && { completions: {} }),
  });
  const leave = CallerMounts.add(into, part);
  const tellAll = (): void => {
    if (callTool) into.core.tell({ kind: 'tools' });
    if (getPrompt) into.core.tell({ kind: 'prompts' });
    if (readResource) into.core.tell({ kind: 'resources' });
  };
  let isOver = false;
  const stop = source.watch?.((change) => {
    if (!isOver) into.core.tell(change);
  });
  if (stop !== undefined && !grouped.has(into.core)) {
    grouped.add(into.core);
    addMiddleware(into.core, groupedByPrincipal);
  }
  tellAll();
  return {
    prefix,
    refresh: async () => tellAll(),
    unmount: async () => {
      if (isOver) return;
      isOver = true;
      leave();
      stop?.();
      tellAll();
      await source.close?.();
    },
  };
}

/** The servers whose callers are in groups. */
const grouped = new WeakSet<ServerCore>();

/** Puts a caller that no one has put into a group into that of its principal, which sources tell their changes to. */
const groupedByPrincipal: ServerMiddleware = ({ method, context }, next) => {
  const isOpening = method === 'initialize' || method === 'subscriptions/listen';
  if (isOpening && context?.principal !== undefined && groupOf(context) === undefined)
    putInGroup(context, context.principal);
  return next();
};

function handleOf(mount: Mount, prefix: string, close: () => void | Promise<void>): Mounted {
  return {
    prefix,
    refresh: () => mount.refresh(),
    unmount: async () => {
      if (!mount.end()) return;
      await close();
    },
  };
}

/**
 * The capabilities that a mounted server needs of the outer server, which sends the logs and updates of its handlers; and those of offers that are not
 * registered, because they differ by caller.
 */
function calledFor({ core, catalogue }: MountableServer): ServerCapabilities {
  const { logging, tools, prompts, resources, completions } = core.capabilities();
  const varies = catalogue.byCaller?.varies('tools/call') === true;
  return {
    ...(varies && { ...(tools && { tools }), ...(prompts && { prompts }), ...(completions && { completions }) }),
    ...(varies && resources && { resources }),
    ...(logging !== undefined && { logging }),
    ...(resources?.subscribe === true && { resources: { ...(varies && resources), subscribe: true } }),
  };
}

function reaches(from: ServerCore, to: ServerCore): boolean {
  for (const core of mountedBy.get(from) ?? []) if (core === to || reaches(core, to)) return true;
  return false;
}

/** One source on one server: keeps the mounted entries in step with the source. */
class Mount {
  readonly #into: MountableServer;
  readonly #entries: () => MountedEntries | Promise<MountedEntries>;
  #mounted: MountedEntries = NO_ENTRIES;
  #isOver = false;
  /** Refreshes run one after the other, so that an older list never replaces a newer one. */
  #looking: Promise<void> = Promise.resolve();

  constructor(into: MountableServer, entries: () => MountedEntries | Promise<MountedEntries>) {
    this.#into = into;
    this.#entries = entries;
  }

  /** Replaces the mounted entries. Throws when one of them is taken already; then nothing has changed. */
  replace(entries: MountedEntries): void {
    const running = [...entries.tools].find(([, { task }]) => task !== undefined);
    const tasks = running && requireTasks(this.#into.core, running[0]);
    this.#mounted = replaceEntries(this.#into.catalogue, this.#mounted, entries);
    tasks?.offer();
  }

  /** The entries as they are registered. */
  get registered(): MountedEntries {
    return this.#mounted;
  }

  changed(change: SourceChange): void {
    if (this.#isOver) return;
    if (change.kind === 'resource') this.#into.core.tell(change);
    else void this.refresh().catch((error: unknown) => this.#into.core.onproblem(asError(error)));
  }

  refresh(): Promise<void> {
    const looked = this.#looking.then(async () => {
      const entries = await this.#entries();
      if (!this.#isOver) this.replace(entries);
    });
    this.#looking = looked.catch(() => {});
    return looked;
  }

  /** Removes the mounted entries. False when that was done before. */
  end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    replaceEntries(this.#into.catalogue, this.#mounted, NO_ENTRIES);
    return true;
  }
}
