import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { asError } from '../../runtime/guard.ts';
import type { ServerCore } from '../core.ts';
import type { McpServer } from '../mcp-server.ts';
import { requireTasks } from '../tasks/task-support.ts';
import { NO_ENTRIES, prefixer, type MountedEntries } from './entries.ts';
import { mountableOf, type MountableServer } from './mountable.ts';
import { serverEntries } from './server-entries.ts';
import { sourceEntries } from './source-entries.ts';
import type { Mounted, ServerSource, SourceChange } from './source.ts';

/** The servers that each server has mounted, to refuse circles. */
const mountedBy = new WeakMap<ServerCore, Set<ServerCore>>();

/**
 * Offers on `server` what another server or source offers: its tools and prompts under `prefix_name`, its resources under their own URIs. Throws when one of
 * them is taken already; changes are followed. A server is mounted at once, another source when it has said what it offers.
 */
export function mount(server: McpServer, prefix: string, source: McpServer): Mounted;
export function mount(server: McpServer, prefix: string, source: ServerSource): Promise<Mounted>;
export function mount(server: McpServer, prefix: string, source: McpServer | ServerSource): Mounted | Promise<Mounted> {
  const into = mountableOf(server);
  if (into === undefined) throw new TypeError('Only an McpServer can mount.');
  const other = mountableOf(source);
  return other === undefined ? mountSource(into, prefix, source as ServerSource) : mountServer(into, prefix, other);
}

/** Mounts a server: at once, and without a connection between the two. */
function mountServer(into: MountableServer, prefix: string, source: MountableServer): Mounted {
  if (source.core === into.core || reaches(source.core, into.core))
    throw new TypeError('A server cannot be mounted on itself, nor on what it has mounted.');
  const rename = prefixer(prefix);
  const mount = new Mount(into, () => serverEntries(source, rename));
  mount.replace(serverEntries(source, rename));
  into.declare(calledFor(source.core.capabilities()));
  const mounted = mountedBy.get(into.core) ?? new Set();
  mountedBy.set(into.core, mounted.add(source.core));
  const stop = source.core.attach({
    tell: (change) => {
      if (change.kind !== 'extension') mount.changed(change);
    },
  });
  return handleOf(mount, prefix, () => {
    stop();
    mounted.delete(source.core);
  });
}

/** Mounts any other source, once it has listed its offers. */
async function mountSource(into: MountableServer, prefix: string, source: ServerSource): Promise<Mounted> {
  const rename = prefixer(prefix);
  const entries = async (): Promise<MountedEntries> => sourceEntries(source, await source.list(), rename);
  const mount = new Mount(into, entries);
  mount.replace(await entries());
  const stop = source.watch?.((change) => mount.changed(change));
  return handleOf(mount, prefix, async () => {
    stop?.();
    await source.close?.();
  });
}

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

/** The capabilities that handlers of a mounted server need of the outer server, which sends their logs and updates. */
function calledFor({ logging, resources }: ServerCapabilities): ServerCapabilities {
  return {
    ...(logging !== undefined && { logging }),
    ...(resources?.subscribe === true && { resources: { subscribe: true } }),
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
    this.#mounted = this.#into.catalogue.replace(this.#mounted, entries);
    tasks?.offer();
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
    this.#into.catalogue.replace(this.#mounted, NO_ENTRIES);
    return true;
  }
}
