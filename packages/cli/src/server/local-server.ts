import { Host, type HostEvent, type InboxItem } from '@crosspoint/host';
import type { ServerEntry, InputDefinition } from '@crosspoint/host/config';
import { CliError } from '../errors/cli-error.ts';
import { cliErrorOf } from '../errors/cli-error-of.ts';
import type { Workplace } from '../place/workplace.ts';
import { carryOut } from './carry-out.ts';
import { ConnectionState } from './offers/connection-state.ts';
import type { OpeningOptions } from './server-opener.ts';
import { usable } from './usable.ts';
import type { OpenServer } from './open-server.ts';
import type { OperationEvent, OperationName, OperationOptions, ParamsOf, ResultOf } from './operations.ts';

/** A server to open, and what its configuration asks the user for. */
export interface ServerToOpen {
  readonly entry: ServerEntry;
  readonly inputs?: readonly InputDefinition[];
  /** Folders that were typed: the server may be told of them without a question. */
  readonly typedRoots?: readonly string[];
}

/** A server that this process is connected to, by a host with this one server. */
export class LocalServer implements OpenServer {
  readonly name: string;
  readonly isKept = false;
  readonly #host: Host;
  readonly #workplace: Workplace;
  readonly #listeners = new Set<(event: OperationEvent) => void>();
  /** Calls that take a changed definition for known. */
  readonly #accepting = new Set<string>();
  readonly #state: ConnectionState;
  #released: Promise<void> | undefined;

  private constructor(name: string, host: Host, workplace: Workplace) {
    this.name = name;
    this.#host = host;
    this.#workplace = workplace;
    this.#state = new ConnectionState(host, name);
    host.watch((event) => this.#happened(event));
    host.inbox.watch(({ type, item }) => {
      if (type === 'asked') this.#asked(item);
    });
  }

  /** Connects. Questions that come meanwhile (a login, an input) go to `onevent`. Rejects with the reason where the server cannot be used. */
  static async open(
    { entry, inputs = [], typedRoots = [] }: ServerToOpen,
    workplace: Workplace,
    { signal, onevent, onopening }: OpeningOptions = {},
  ): Promise<LocalServer> {
    const host = new Host({ ...workplace.hostOptions, inputs });
    const server = new LocalServer(entry.name, host, workplace);
    server.#state.folders.add(typedRoots);
    const stopListening = server.#listen(onevent);
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

  async request<Name extends OperationName>(
    operation: Name,
    params: ParamsOf<Name>,
    { signal, onevent }: OperationOptions = {},
  ): Promise<ResultOf<Name>> {
    const call = 'call' in params ? params.call : undefined;
    const stopListening = this.#listen(onevent && ((event) => isFor(call, event) && onevent(event)));
    if (call !== undefined && 'acceptChanges' in params && params.acceptChanges) this.#accepting.add(call);
    try {
      const place = { host: this.#host, server: this.name, state: this.#state };
      return await carryOut(operation, { ...place, params, signal, onevent });
    } catch (error) {
      throw error instanceof CliError ? error : cliErrorOf(error);
    } finally {
      if (call !== undefined) this.#accepting.delete(call);
      stopListening();
    }
  }

  park(): void {}

  /** Once, however often it is called. */
  release(): Promise<void> {
    this.#released ??= this.#host.close().then(() => this.#workplace.close());
    return this.#released;
  }

  #listen(onevent: OperationOptions['onevent']): () => void {
    if (onevent === undefined) return () => {};
    this.#listeners.add(onevent);
    return () => void this.#listeners.delete(onevent);
  }

  #tell(event: OperationEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** The user has typed the call and the server, so that they are not asked again, unless something is not as it was. */
  #asked(item: InboxItem): void {
    const { inbox } = this.#host;
    if (item.kind === 'call' && item.question.changes.length === 0)
      return inbox.answer(item.id, { action: 'allow', for: 'once' });
    // For the session, because that makes the definition known; the session ends with the connection.
    if (item.kind === 'call' && this.#accepting.has(item.from.call?.id ?? ''))
      return inbox.answer(item.id, { action: 'allow', for: 'session' });
    if (this.#state.folders.areAllOf(item)) return inbox.answer(item.id, { action: 'allow' });
    if (item.kind === 'start' && !item.question.isChanged) return inbox.answer(item.id, { action: 'allow' });
    this.#tell({ type: 'question', item });
  }

  #happened(event: HostEvent): void {
    const line = this.#state.happened(event);
    if (line !== undefined) this.#tell(line);
  }
}

/** Whether an event concerns an operation: a question of another call does not. */
function isFor(call: unknown, event: OperationEvent): boolean {
  return event.type !== 'question' || event.item.from.call === undefined || event.item.from.call.id === call;
}
