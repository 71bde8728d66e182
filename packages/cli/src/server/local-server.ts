import { Host, type AnswerTo, type HostEvent, type InboxItem } from '@crosspoint/host';
import type { ServerEntry, InputDefinition } from '@crosspoint/host/config';
import { CliError } from '../errors/cli-error.ts';
import { cliErrorOf } from '../errors/cli-error-of.ts';
import type { Workplace } from '../place/workplace.ts';
import { carryOut } from './carry-out.ts';
import { ConnectionState } from './offers/connection-state.ts';
import type { OpeningOptions } from './server-opener.ts';
import { QuestionDesk } from './questions/desk.ts';
import { HeldCalls } from './questions/held-calls.ts';
import { HeldTasks } from './tasks/held-tasks.ts';
import { usable } from './usable.ts';
import type { Held } from './work.ts';
import type { OpenServer } from './open-server.ts';
import type { OperationEvent, OperationName, OperationOptions, ParamsOf, ResultOf } from './operations.ts';

/** A server to open, and what its configuration asks the user for. */
export interface ServerToOpen {
  readonly entry: ServerEntry;
  readonly inputs?: readonly InputDefinition[];
  /** Folders that were typed: the server may be told of them without a question. */
  readonly typedRoots?: readonly string[];
}

/** The host of a server, and what ends with the server. */
export interface HostPlace {
  readonly host: Host;
  /** Called once, when the server is let go of. */
  readonly close: () => Promise<void>;
}

/** A server that this process is connected to, by a host. */
export class LocalServer implements OpenServer {
  readonly name: string;
  readonly isKept = false;
  readonly #host: Host;
  readonly #close: () => Promise<void>;
  readonly #stopWatching: readonly (() => void)[];
  readonly #listeners = new Set<(event: OperationEvent) => void>();
  readonly #held: Held;
  /** Calls that take a changed definition for known. */
  readonly #accepting = new Set<string>();
  readonly #state: ConnectionState;
  #released: Promise<void> | undefined;

  private constructor(name: string, { host, close }: HostPlace) {
    this.name = name;
    this.#host = host;
    this.#close = close;
    this.#state = new ConnectionState(host, name);
    const desk = new QuestionDesk(host, name, (item) => this.#settles(item));
    this.#held = { desk, calls: new HeldCalls(), tasks: new HeldTasks() };
    this.#stopWatching = [host.watch((event) => this.#happened(event)), () => desk.close()];
  }

  /** Connects, by a host with this one server. See `join`. */
  static open(
    { inputs = [], ...toOpen }: ServerToOpen,
    workplace: Workplace,
    options?: OpeningOptions,
  ): Promise<LocalServer> {
    const host = new Host({ ...workplace.hostOptions, inputs, sampling: {} });
    return LocalServer.join(toOpen, { host, close: () => host.close().then(() => workplace.close()) }, options);
  }

  /** Connects. Questions that come meanwhile (a login, an input) go to `onevent`. Rejects with the reason where the server cannot be used. */
  static async join(
    { entry, typedRoots = [] }: Omit<ServerToOpen, 'inputs'>,
    place: HostPlace,
    { signal, onevent, onopening }: OpeningOptions = {},
  ): Promise<LocalServer> {
    const { host } = place;
    const server = new LocalServer(entry.name, place);
    server.#state.folders.add(typedRoots);
    const stopListening = server.#listen(onevent, () => true);
    onopening?.(server);
    try {
      await usable(host, host.servers.add(entry), signal);
      return server;
    } catch (error) {
      await server.release();
      throw cliErrorOf(error);
    } finally {
      stopListening();
    }
  }

  get host(): Host {
    return this.#host;
  }

  /** Whether a call or a task goes on. */
  get isBusy(): boolean {
    return this.#held.calls.isBusy || this.#held.tasks.isBusy;
  }

  async request<Name extends OperationName>(
    operation: Name,
    params: ParamsOf<Name>,
    { signal, onevent }: OperationOptions = {},
  ): Promise<ResultOf<Name>> {
    const call = 'call' in params ? params.call : undefined;
    const stopListening = this.#listen(onevent, (item) => this.#isFor(item, params));
    if (call !== undefined && 'acceptChanges' in params && params.acceptChanges) this.#accepting.add(call);
    try {
      const place = { host: this.#host, held: this.#held, server: this.name, state: this.#state };
      return await carryOut(operation, { ...place, params, signal, onevent });
    } catch (error) {
      throw error instanceof CliError ? error : cliErrorOf(error);
    } finally {
      if (call !== undefined) this.#accepting.delete(call);
      stopListening();
    }
  }

  /** Keeps the result of a call whose command leaves. */
  park(call?: string): void {
    if (call !== undefined) this.#held.calls.park(call);
  }

  /** Once, however often it is called. */
  release(): Promise<void> {
    this.#released ??= this.#close().finally(() => this.#stopWatching.forEach((stop) => stop()));
    return this.#released;
  }

  #listen(onevent: OperationOptions['onevent'], hears: (item: InboxItem) => boolean): () => void {
    if (onevent === undefined) return () => {};
    const stopAsking = this.#held.desk.listen(onevent, hears);
    this.#listeners.add(onevent);
    return () => {
      stopAsking();
      this.#listeners.delete(onevent);
    };
  }

  #tell(event: OperationEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** The user has typed the call and the server, so that they are not asked again, unless something is not as it was. Whether it was answered. */
  #settles(item: InboxItem): boolean {
    const answer = this.#typedAnswer(item);
    if (answer !== undefined) this.#host.inbox.answer(item.id, answer);
    return answer !== undefined;
  }

  #typedAnswer(item: InboxItem): AnswerTo<'call' | 'start'> | undefined {
    if (item.kind === 'call' && item.question.changes.length === 0) return { action: 'allow', for: 'once' };
    // For the session, because that makes the definition known; the session ends with the connection.
    if (item.kind === 'call' && this.#accepting.has(item.from.call?.id ?? ''))
      return { action: 'allow', for: 'session' };
    if (this.#state.folders.areAllOf(item)) return { action: 'allow' };
    return item.kind === 'start' && !item.question.isChanged ? { action: 'allow' } : undefined;
  }

  /**
   * Whether a question concerns an operation. One of another call does not; one whose server does not say for which call it asks concerns every call, and
   * other operations only where no call runs.
   */
  #isFor({ from }: InboxItem, params: object): boolean {
    const call = this.#callOf(params);
    if (from.call !== undefined) return from.call.id === call;
    return call !== undefined || !this.isBusy;
  }

  #callOf(params: object): unknown {
    if ('call' in params) return params.call;
    return 'task' in params ? (this.#held.tasks.find(String(params.task))?.call ?? params.task) : undefined;
  }

  #happened(event: HostEvent): void {
    const line = 'server' in event && event.server === this.name ? this.#state.happened(event) : undefined;
    if (line !== undefined) this.#tell(line);
  }
}
