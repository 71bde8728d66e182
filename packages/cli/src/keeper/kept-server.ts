import { connect, type Socket } from 'node:net';
import { CliError } from '../errors/cli-error.ts';
import type { OpenServer } from '../server/open-server.ts';
import type { OperationName, OperationOptions, ParamsOf, ResultOf } from '../server/operations.ts';
import { VERSION } from '../version.ts';
import { JsonLines } from './lines.ts';
import type { FromKeeper, OpenRequest, ToKeeper } from './messages.ts';
import type { KeptRecord } from './records.ts';

interface Pending {
  readonly onevent: OperationOptions['onevent'];
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A server that a keeper holds, over the keeper's socket. */
export class KeptServer implements OpenServer {
  readonly name: string;
  readonly isKept = true;
  readonly #socket: Socket;
  readonly #lines: JsonLines<FromKeeper, ToKeeper>;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #isParked = false;

  private constructor(name: string, socket: Socket, welcome: () => void) {
    this.name = name;
    this.#socket = socket;
    this.#lines = new JsonLines(socket, (line) => ('welcome' in line ? welcome() : this.#answered(line)));
    socket.once('close', () => this.#lost());
  }

  /** Reaches the keeper of a record. `undefined` when it is no longer there. */
  static reach(record: KeptRecord): Promise<KeptServer | undefined> {
    return new Promise((resolve, reject) => {
      const socket = connect(record.socket);
      const kept = new KeptServer(record.name, socket, () => resolve(kept));
      socket.once('error', () => resolve(undefined));
      socket.once('close', () => resolve(undefined));
      if (record.version === VERSION) return kept.#lines.send({ hello: record.token, version: VERSION });
      socket.destroy();
      reject(
        new CliError('usage', `"${record.name}" is kept by crosspoint ${record.version}, and this is ${VERSION}.`, {
          hint: 'It ends by itself when it is not used; or end it with the crosspoint that opened it.',
        }),
      );
    });
  }

  /** Has a new keeper connect to its server. */
  open(open: OpenRequest, options: OperationOptions): Promise<void> {
    return this.#send((id) => ({ id, open }), options) as Promise<void>;
  }

  request<Name extends OperationName>(
    operation: Name,
    params: ParamsOf<Name>,
    options: OperationOptions = {},
  ): Promise<ResultOf<Name>> {
    return this.#send((id) => ({ id, operation, params }), options) as Promise<ResultOf<Name>>;
  }

  park(): void {
    this.#isParked = true;
    this.#lines.send({ park: true });
  }

  /** Ends the connection to the server, and the keeper with it. Resolves when the keeper has ended. */
  async end(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
    this.#lines.send({ end: true });
    await closed;
  }

  async release(): Promise<void> {
    if (this.#socket.closed) return;
    await new Promise<void>((resolve) => this.#socket.end(() => resolve()));
    this.#socket.destroy();
  }

  #send(line: (id: number) => ToKeeper, { signal, onevent }: OperationOptions): Promise<unknown> {
    const id = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        if (!this.#isParked) this.#lines.send({ cancel: id });
      };
      const settle = (): void => {
        this.#pending.delete(id);
        signal?.removeEventListener('abort', cancel);
      };
      this.#pending.set(id, {
        onevent,
        resolve: (result) => (settle(), resolve(result)),
        reject: (error) => (settle(), reject(error)),
      });
      signal?.addEventListener('abort', cancel, { once: true });
      this.#lines.send(line(id));
      if (signal?.aborted === true) cancel();
      if (this.#socket.closed) this.#lost();
    });
  }

  #answered(line: Exclude<FromKeeper, { welcome: true }>): void {
    const pending = this.#pending.get(line.id);
    if (pending === undefined) return;
    if ('event' in line) pending.onevent?.(line.event);
    else if ('result' in line) pending.resolve(line.result);
    else pending.reject(new CliError(line.error.ending, line.error.message, { hint: line.error.hint }));
  }

  #lost(): void {
    for (const { reject } of this.#pending.values())
      reject(
        new CliError('unreachable', `The keeper of "${this.name}" has ended.`, {
          hint: 'crosspoint connect opens it anew.',
        }),
      );
  }
}
