import { Host, type HostServer } from '@crosspoint/host';
import type { InputDefinition } from '@crosspoint/host/config';
import { cliErrorOf } from '../errors/cli-error-of.ts';
import type { TargetWords } from '../grammar/command.ts';
import type { TargetValues } from '../grammar/parse.ts';
import type { Home } from '../place/home.ts';
import { readPolicy } from '../place/read-policy.ts';
import { openWorkplace, type Workplace } from '../place/workplace.ts';
import { findTarget, type FoundTarget, type TargetPlace } from '../target/find-target.ts';
import { forgetOther, refuseUntrusted } from './admission.ts';
import type { HeldName, HeldServers } from './held-servers.ts';
import { LocalServer } from './local-server.ts';
import { SILENCE_MS } from './open-locally.ts';
import type { OpenServer } from './open-server.ts';
import type { OperationName, OperationOptions, ParamsOf, ResultOf } from './operations.ts';
import { reachKept, type OpeningOptions, type OpeningPlace } from './server-opener.ts';
import { usable } from './usable.ts';

interface Held {
  readonly server: LocalServer;
  /** The entry that it was opened with, as text: a configuration that was changed since is another one. */
  readonly entry: string;
  readonly since: string;
}

/** One host for all servers that the lines of a shell name. Each is opened when it is first named, and stays. */
export class SharedHost implements HeldServers {
  readonly #home: Home;
  readonly #workplace: Workplace;
  readonly #host: Host;
  /** Definitions of every configuration that was read so far. */
  readonly #inputs: InputDefinition[];
  readonly #held = new Map<string, Held>();

  private constructor(home: Home, workplace: Workplace) {
    this.#home = home;
    this.#workplace = workplace;
    this.#inputs = [];
    this.#host = new Host({ ...workplace.hostOptions, inputs: this.#inputs, sampling: {} });
  }

  /** Opens the user's store, logins and policy. */
  static async open(place: OpeningPlace): Promise<SharedHost> {
    const { home, cwd, env } = place;
    const workplace = await openWorkplace(home, {
      cwd,
      env,
      withTimeline: true,
      onproblem: ({ message }) => place.note(message),
      // A page is opened by the command that answers the question about it.
      openUrl: () => {},
    });
    return new SharedHost(home, workplace);
  }

  list(): readonly HeldName[] {
    return [...this.#held].map(([name, { since }]) => ({ name, since }));
  }

  get(name: string): OpenServer | undefined {
    const held = this.#held.get(name);
    return held === undefined ? undefined : new HeldServer(held.server);
  }

  /**
   * Servers that are named by a word, without options of their own, are held. A command after "--" is started anew for each line, as its author may be
   * working on it; a kept connection is its keeper's.
   */
  async open(
    target: TargetWords,
    reaching: TargetValues,
    place: OpeningPlace,
    options: OpeningOptions,
  ): Promise<OpenServer | undefined> {
    if (target.kind !== 'word' || hasOptions(reaching)) return undefined;
    const { word } = target;
    if (!this.#held.has(word) && (await this.#isKept(word))) return undefined;
    try {
      await this.#takePolicy();
      const found = await this.#found(target, reaching, {
        home: this.#home,
        cwd: place.cwd,
        env: place.env,
        warn: (message) => place.note(message),
      });
      return await this.#opened(word, found, options);
    } catch (error) {
      throw cliErrorOf(error);
    }
  }

  async end(word: string): Promise<void> {
    const held = this.#held.get(word);
    this.#held.delete(word);
    await held?.server.release();
  }

  /** Ends every server. */
  async close(): Promise<void> {
    await this.#host.close();
    await this.#workplace.close();
  }

  async #isKept(name: string): Promise<boolean> {
    const kept = await reachKept(name, this.#home);
    await kept?.release();
    return kept !== undefined;
  }

  /** The policy may have been edited since the last line. */
  async #takePolicy(): Promise<void> {
    const { policy } = await readPolicy(this.#home);
    if (JSON.stringify(policy) !== JSON.stringify(this.#host.policy)) this.#host.policy = policy;
  }

  /** The server as it is configured now. One that is no longer there, or no longer trusted, is ended. */
  async #found(
    target: TargetWords & { kind: 'word' },
    reaching: TargetValues,
    place: TargetPlace,
  ): Promise<FoundTarget> {
    try {
      const found = await findTarget(target, reaching, place);
      await refuseUntrusted(found.entry, this.#workplace.store);
      return found;
    } catch (error) {
      await this.end(target.word);
      throw error;
    }
  }

  async #opened(
    word: string,
    { entry: found, inputs }: FoundTarget,
    options: OpeningOptions,
  ): Promise<OpenServer | undefined> {
    const entry = { timeoutMs: SILENCE_MS, ...found };
    const text = JSON.stringify(entry);
    const before = this.#held.get(word);
    const running = this.#host.servers.get(entry.name);
    if (before?.entry === text && running !== undefined && isAlive(running)) {
      options.onopening?.(new HeldServer(before.server));
      await usable(this.#host, running, options.signal);
      return new HeldServer(before.server);
    }
    await this.end(word);
    // Two words may mean servers of one name, and a host has each name once.
    if (this.#host.servers.get(entry.name) !== undefined) return undefined;
    await forgetOther(entry, this.#workplace.store);
    this.#inputs.push(...inputs.filter((input) => !this.#inputs.some((known) => isSame(known, input))));
    const close = (): Promise<void> => this.#host.servers.remove(entry.name);
    const server = await LocalServer.join({ entry }, { host: this.#host, close }, options);
    this.#held.set(word, { server, entry: text, since: new Date().toISOString() });
    return new HeldServer(server);
  }
}

/** Options with which a server is another one than without them. Rules are about the line alone. */
function hasOptions({ family, revision, header, env, cwd, root }: TargetValues): boolean {
  return [family, revision, header, env, cwd, root].some((value) => value !== undefined && value.length > 0);
}

/** Whether the host still has hopes of the server. One that has failed is opened anew. */
function isAlive({ state: { status } }: HostServer): boolean {
  return status !== 'failed' && status !== 'closed' && status !== 'pending-approval' && status !== 'needs-login';
}

function isSame(one: InputDefinition, other: InputDefinition): boolean {
  return one.id === other.id && one.origin?.file === other.origin?.file;
}

/** A server for one line. The line lets go of it, and it stays. */
class HeldServer implements OpenServer {
  readonly name: string;
  readonly isKept = false;
  readonly #server: LocalServer;

  constructor(server: LocalServer) {
    this.#server = server;
    this.name = server.name;
  }

  request<Name extends OperationName>(
    operation: Name,
    params: ParamsOf<Name>,
    options?: OperationOptions,
  ): Promise<ResultOf<Name>> {
    return this.#server.request(operation, params, options);
  }

  park(): void {}

  async release(): Promise<void> {}
}
