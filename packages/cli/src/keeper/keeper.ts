import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../errors/cli-error.ts';
import { cliErrorOf } from '../errors/cli-error-of.ts';
import { userName } from '../place/home.ts';
import type { LocalServer } from '../server/local-server.ts';
import type { OperationEvent, OperationName } from '../server/operations.ts';
import { VERSION } from '../version.ts';
import { JsonLines } from './lines.ts';
import type { FromKeeper, OpenRequest, ToKeeper } from './messages.ts';
import type { KeptRecord, KeptRecords } from './records.ts';

export interface KeeperOptions {
  readonly name: string;
  readonly folder: string;
  readonly records: KeptRecords;
  /** Milliseconds without a command after which the keeper ends. */
  readonly idleMs: number;
  /** Connects to the server. Called once. */
  open(
    request: OpenRequest,
    options: { readonly signal: AbortSignal; readonly onevent: (event: OperationEvent) => void },
  ): Promise<LocalServer>;
}

/** Milliseconds in which the first command has to come and connect. */
const FIRST_MS = 15_000;
/** Bytes that a command leaves unread before lines of logs and other news are left out for it. Results and questions never are. */
const MOST_UNREAD = 8 * 1024 * 1024;
/** The longest path of a socket that every platform takes. */
const MAX_SOCKET_PATH = 100;

/** Holds the connection to one server for many commands, until it is told to end or nobody has used it for a while. */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #token = randomBytes(32).toString('hex');
  readonly #sockets = new Set<Socket>();
  readonly #listener: Server = createServer((socket) => this.#accept(socket));
  readonly #ended: Promise<void>;
  #end: () => void = () => {};
  #record: KeptRecord | undefined;
  #server: LocalServer | undefined;
  #idle: NodeJS.Timeout | undefined;
  #busy = 0;
  #isOver = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#ended = new Promise((resolve) => (this.#end = resolve));
  }

  /** Listens, and calls `onready` with the record of this keeper. Resolves when everything has ended. */
  async run(onready: (record: KeptRecord) => void): Promise<void> {
    const socket = socketPath(this.#options.folder);
    await new Promise<void>((resolve, reject) => {
      this.#listener.once('error', reject).listen(socket, () => resolve());
    });
    if (process.platform !== 'win32') await chmod(socket, 0o600);
    this.#record = {
      name: this.#options.name,
      socket,
      token: this.#token,
      version: VERSION,
      pid: process.pid,
      since: new Date().toISOString(),
      target: '',
    };
    this.#restAfter(FIRST_MS);
    onready(this.#record);
    await this.#ended;
    await this.#close(socket);
  }

  stop(): void {
    this.#end();
  }

  async #close(socket: string): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#idle);
    this.#listener.close();
    await this.#server?.release().catch(() => {});
    if (this.#record !== undefined) await this.#options.records.remove(this.#record);
    for (const open of this.#sockets) open.destroy();
    if (process.platform !== 'win32') await rm(socket, { force: true });
  }

  #restAfter(ms: number): void {
    clearTimeout(this.#idle);
    // Operations that end with the keeper must not hold its process.
    if (this.#isOver) return;
    // A call or a task that goes on without a command keeps the connection.
    this.#idle = setTimeout(() => (this.#server?.isBusy === true ? this.#restAfter(ms) : this.#end()), ms);
  }

  #accept(socket: Socket): void {
    const session = new KeeperSession(this.#token, {
      open: (request, work) => this.#open(request, work),
      request: (operation, params, work) => this.#request(operation, params, work),
      park: (call) => this.#server?.park(call),
      end: () => this.#end(),
    });
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      session.left();
    });
    session.serve(socket);
  }

  async #open(request: OpenRequest, work: SessionWork): Promise<object> {
    if (this.#server !== undefined) throw new CliError('usage', `"${this.#options.name}" is connected already.`);
    await this.#during(async () => {
      this.#server = await this.#options.open(request, work);
      const { target } = await this.#server.request('show', {});
      const record = { ...(this.#record as KeptRecord), target };
      this.#record = record;
      if (await this.#options.records.add(record)) return;
      this.#end();
      throw new CliError('usage', `There is already a kept connection "${record.name}".`, {
        hint: 'Give another name with --as.',
      });
    }).catch((error: unknown) => {
      this.#end();
      throw error;
    });
    return {};
  }

  async #request(operation: OperationName, params: object, work: SessionWork): Promise<unknown> {
    const server = this.#server;
    if (server === undefined) throw new CliError('unreachable', `"${this.#options.name}" is not connected.`);
    return this.#during(() => server.request(operation, params, work));
  }

  /** The keeper does not end while something runs. */
  async #during<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    clearTimeout(this.#idle);
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      if (this.#busy === 0) this.#restAfter(this.#options.idleMs);
    }
  }
}

interface SessionWork {
  readonly signal: AbortSignal;
  readonly onevent: (event: OperationEvent) => void;
}

interface SessionPort {
  open(request: OpenRequest, work: SessionWork): Promise<object>;
  request(operation: OperationName, params: object, work: SessionWork): Promise<unknown>;
  /** Keeps the result of a call whose command leaves. */
  park(call: string): void;
  end(): void;
}

/** One command at the keeper. Its operations are cancelled when it leaves, unless it parked them. */
class KeeperSession {
  readonly #token: string;
  readonly #port: SessionPort;
  readonly #running = new Map<number, AbortController>();
  readonly #calls = new Map<number, string>();
  #lines: JsonLines<ToKeeper, FromKeeper> | undefined;
  #isKnown = false;
  #isParked = false;
  #leftOut = 0;

  constructor(token: string, port: SessionPort) {
    this.#token = token;
    this.#port = port;
  }

  serve(socket: Socket): void {
    this.#lines = new JsonLines(socket, (line) => {
      if (!this.#isKnown && !('hello' in line && isSame(line.hello, this.#token))) return void socket.destroy();
      this.#online(line);
    });
  }

  left(): void {
    if (!this.#isParked)
      for (const controller of this.#running.values()) controller.abort(new Error('The command has ended.'));
  }

  #online(line: ToKeeper): void {
    if ('hello' in line) {
      this.#isKnown = true;
      this.#lines?.send({ welcome: true });
    } else if ('cancel' in line) this.#running.get(line.cancel)?.abort(new Error('The user cancelled it.'));
    else if ('park' in line) this.#park();
    else if ('end' in line) this.#port.end();
    else if ('open' in line) void this.#work(line.id, (work) => this.#port.open(line.open, work));
    else {
      if ('call' in line.params) this.#calls.set(line.id, String(line.params.call));
      void this.#work(line.id, (work) => this.#port.request(line.operation, line.params, work));
    }
  }

  #park(): void {
    this.#isParked = true;
    for (const call of this.#calls.values()) this.#port.park(call);
  }

  /** A command that reads slowly must not make the keeper grow. */
  #tell(id: number, event: OperationEvent): void {
    const isFull = (this.#lines?.waiting ?? 0) > MOST_UNREAD;
    if (isFull && event.type !== 'question') {
      if (this.#leftOut === 0) this.#lines?.whenRead(() => this.#tellLeftOut(id));
      this.#leftOut += 1;
      return;
    }
    this.#tellLeftOut(id);
    this.#lines?.send({ id, event });
  }

  #tellLeftOut(id: number): void {
    if (this.#leftOut === 0) return;
    const text = `${this.#leftOut} lines were left out: they came faster than they were read.`;
    this.#leftOut = 0;
    this.#lines?.send({ id, event: { type: 'note', text } });
  }

  async #work(id: number, start: (work: SessionWork) => Promise<unknown>): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const result = await start({ signal: controller.signal, onevent: (event) => this.#tell(id, event) });
      this.#lines?.send({ id, result });
    } catch (error) {
      const { ending, message, hint } = cliErrorOf(error);
      this.#lines?.send({ id, error: { ending, message, ...(hint !== undefined && { hint }) } });
    } finally {
      this.#running.delete(id);
      this.#calls.delete(id);
    }
  }
}

function isSame(given: unknown, token: string): boolean {
  if (typeof given !== 'string') return false;
  const bytes = Buffer.from(given);
  const wanted = Buffer.from(token);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

function socketPath(folder: string): string {
  const id = randomBytes(8).toString('hex');
  if (process.platform === 'win32') return `\\\\.\\pipe\\crosspoint-${userName()}-${id}`;
  const path = join(folder, `${id}.sock`);
  return path.length <= MAX_SOCKET_PATH ? path : join(tmpdir(), `crosspoint-${id}.sock`);
}
