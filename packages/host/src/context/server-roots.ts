import { pathToFileURL } from 'node:url';
import type { Root } from 'crosspoint/client';
import { WatchedRoots } from './watched-roots.ts';

/**
 * The folders that servers may ask for. The user agrees before a server is told of one.
 * @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28.
 */
export interface HostRoots {
  /** Every folder of a server, also those that cannot be read now. None where the program answers by `roots` of its options. */
  all(server: string): readonly Root[];
  /** The folders that a server gets when it asks, if the user agrees: those that can be read now. */
  readable(server: string): Promise<readonly Root[]>;
  /**
   * Replaces the folders of a server, by paths or `file:` URIs, until it is removed from the host. The user is asked again, and the server is told.
   * Rejects where the program answers by `roots` of its options.
   */
  set(server: string, folders: readonly string[]): Promise<void>;
}

/** The parts of the host that the folders of servers need. */
export interface RootsPort {
  /** The program's own answer, in place of folders. */
  readonly answer: ((server: string) => readonly Root[] | Promise<readonly Root[]>) | undefined;
  /** Asks the user again, and tells the server. */
  onchange(server: string): Promise<void>;
  onproblem(server: string, problem: Error): void;
}

/** The folders of servers, each looked at while its server is part of the host: a server is told when one of them vanishes or comes back. */
export class ServerRoots implements HostRoots {
  readonly #port: RootsPort;
  readonly #roots = new Map<string, readonly Root[]>();
  readonly #watched = new Map<string, WatchedRoots>();
  /** Servers whose folders are those of `set`, whatever their entry says. */
  readonly #isSet = new Set<string>();

  constructor(port: RootsPort) {
    this.#port = port;
  }

  all(server: string): readonly Root[] {
    return this.#roots.get(server) ?? [];
  }

  async readable(server: string): Promise<readonly Root[]> {
    const { answer } = this.#port;
    return answer === undefined ? ((await this.#watched.get(server)?.list()) ?? []) : answer(server);
  }

  async set(server: string, folders: readonly string[]): Promise<void> {
    if (this.#port.answer !== undefined)
      throw new TypeError('The folders of servers are those that the option "roots" of the host returns.');
    this.#isSet.add(server);
    this.#watch(server, folders);
    await this.#port.onchange(server);
  }

  /** The server is about to be connected: its entry has these folders. */
  begin(server: string, folders: readonly string[]): void {
    this.#watch(server, this.#isSet.has(server) ? this.all(server).map(({ uri }) => uri) : folders);
  }

  /** The server was closed or removed. */
  forget(server: string): void {
    this.#isSet.delete(server);
    this.#watch(server, []);
  }

  #watch(server: string, folders: readonly string[]): void {
    const roots = folders.map((folder) => ({
      uri: folder.startsWith('file:') ? folder : pathToFileURL(folder).href,
    }));
    this.#watched.get(server)?.close();
    this.#watched.delete(server);
    this.#roots.delete(server);
    if (roots.length === 0) return;
    const onchange = (): Promise<void> => this.#port.onchange(server);
    const onproblem = (problem: Error): void => this.#port.onproblem(server, problem);
    this.#roots.set(server, roots);
    this.#watched.set(server, new WatchedRoots(roots, { onchange, onproblem }));
  }
}
