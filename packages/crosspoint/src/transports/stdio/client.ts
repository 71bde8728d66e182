import { asError, attempt, report } from '../../runtime/guard.ts';
import type { Stream } from 'node:stream';
import { isJsonObject, type JSONRPCBatch, type JSONRPCMessage } from '../../jsonrpc/message.ts';
import { jsonText } from '../../jsonrpc/serialise.ts';
import { TransportError } from '../../protocol/errors.ts';
import type { BadFrame, MessageExtraInfo, RestartableTransport } from '../transport.ts';
import { childExited, spawnFailure } from './child-failure.ts';
import { spawnServer } from './child.ts';
import type { Graces, ServerChild } from './child.ts';
import { childEnvironment } from './environment.ts';
import { identityOf } from './identity.ts';
import type { Program } from './identity.ts';
import { LineWriter } from './line-writer.ts';
import { MessageReader } from './message-reader.ts';
import { StderrOutlet } from './stderr-outlet.ts';
import type { StderrMode } from './stderr-outlet.ts';

/**
 * The program to start, and how.
 *
 * ```ts
 * new StdioClientTransport({ command: 'node', args: ['server.mjs'], env: { API_KEY: key } });
 * ```
 */
export interface StdioServerParameters {
  /** Program to run; looked up on the PATH, never passed to a shell. */
  command: string;
  /** Arguments of the program; none when absent. */
  args?: string[];
  /** Variables added to the inherited ones; `undefined` removes one. */
  env?: Record<string, string | undefined>;
  /** Inherit all variables of this process, not only `DEFAULT_INHERITED_ENV_VARS`. */
  inheritEnv?: boolean;
  /** Folder to start it in; that of this process when absent. */
  cwd?: string;
  /** Destination of the server's stderr; `inherit` when absent. */
  stderr?: StderrMode;
  /** Largest message in bytes; longer lines are dropped and reported to `onbadframe`. 64 MiB when absent. */
  maxMessageBytes?: number;
  /** Milliseconds that the server may take to exit after the end of its stdin; 2000 when absent. */
  closeGraceMs?: number;
  /** Milliseconds that it may take after SIGTERM; 2000 when absent. */
  termGraceMs?: number;
}

/** One run of the server process, with its reader and writer. */
interface Run {
  readonly child: ServerChild;
  readonly reader: MessageReader;
  readonly writer: LineWriter;
  /** Requests that were sent and not answered. One that the server never answers stays counted, which costs a little time and nothing else. */
  open: number;
  ending: Promise<void> | undefined;
}

const REPORTED_LINES = 20;
const UNREAD_INPUT_MS = 250;

/**
 * Runs a server as a child process and talks to it over stdin and stdout. Lines that are no JSON are skipped; the first 20 are reported to
 * `onbadframe`. When the process exits by itself, `lastFailure` says how, and the transport can be started again.
 */
export class StdioClientTransport implements RestartableTransport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  onbadframe: ((frame: BadFrame) => void) | undefined;
  sessionId: string | undefined;
  readonly carrier = 'stdio' as const;
  readonly restartable = true;

  readonly #parameters: StdioServerParameters;
  readonly #program: Program;
  readonly #outlet: StderrOutlet;
  #identity: string | undefined;
  #lastFailure: Error | undefined;
  #starting: Promise<Run> | undefined;
  #run: Run | undefined;
  #isAsked = false;

  constructor(server: StdioServerParameters) {
    this.#parameters = server;
    this.#program = { command: server.command, args: server.args ?? [], cwd: server.cwd };
    this.#outlet = new StderrOutlet(server.stderr ?? 'inherit');
  }

  get identity(): string {
    return (this.#identity ??= identityOf(this.#program));
  }

  get lastFailure(): Error | undefined {
    return this.#lastFailure;
  }

  /** The server's stderr, with `stderr: 'pipe'`; available before the start. */
  get stderr(): Stream | null {
    return this.#outlet.stream;
  }

  get pid(): number | null {
    return this.#run?.child.pid ?? null;
  }

  /** Lines of the current run that were no JSON. */
  get skippedLines(): number {
    return this.#run?.reader.skipped ?? 0;
  }

  async start(): Promise<void> {
    if (this.#starting !== undefined || this.#run !== undefined) {
      throw new TypeError('The StdioClientTransport was already started; connecting a client starts it.');
    }
    this.#isAsked = false;
    this.#identity = undefined;
    this.#lastFailure = undefined;
    this.#outlet.open();
    this.#starting = this.#begin();
    try {
      this.#run = await this.#starting;
    } catch (error) {
      this.#lastFailure = asError(error);
      throw error;
    } finally {
      this.#starting = undefined;
    }
  }

  send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    const run = this.#run;
    if (run === undefined)
      throw (
        this.#lastFailure ?? new TransportError('closed', 'The server is not running: connect a client to start it.')
      );
    if (run.ending !== undefined || run.child.hasExited) return this.#refused(run);
    if ('method' in message && 'id' in message) run.open += 1;
    return run.writer.send(jsonText(message));
  }

  /** Ends the server and everything it started: end of stdin, SIGTERM, SIGKILL. */
  async close(): Promise<void> {
    this.#isAsked = true;
    const run = this.#run ?? (await this.#starting?.catch(() => undefined));
    if (run !== undefined) await this.#end(run, { closeMs: this.#parameters.closeGraceMs ?? 2000 });
    this.#outlet.end();
  }

  async #begin(): Promise<Run> {
    const child = await spawnServer(this.#program, childEnvironment(this.#parameters), this.#outlet);
    const reader = new MessageReader(
      {
        message: (message) => {
          if (run.open > 0 && isJsonObject(message) && message['method'] === undefined) run.open -= 1;
          return this.onmessage?.(message);
        },
        badFrame: (frame) => this.onbadframe?.(frame),
        error: this.#problem,
      },
      { maxMessageBytes: this.#parameters.maxMessageBytes, reportLimit: REPORTED_LINES },
    );
    const writer = new LineWriter(child.stdin, { perTurn: () => run.open > 1 });
    const run: Run = { child, reader, writer, open: 0, ending: undefined };
    // A server that closes a pipe is usually exiting, and its exit explains the failure better.
    const endAfter = (ms: number, what: string): void =>
      void child
        .exitsWithin(ms)
        .then(() => this.#end(run, { closeMs: 0 }, `The server closed its ${what} but did not exit. `));
    child.stdout.on('data', (chunk: Uint8Array) => reader.push(chunk));
    child.stdout.on('end', () => endAfter(this.#parameters.closeGraceMs ?? 2000, 'output'));
    child.stdout.on('error', () => {});
    child.stdin.on('error', () => endAfter(UNREAD_INPUT_MS, 'input'));
    void child.exited.then(() => this.#end(run, { closeMs: 0 }));
    return run;
  }

  /** Waits for the end, because only then the last of stderr is in the error. */
  #refused(run: Run): Promise<void> {
    const refusal = this.#end(run, { closeMs: 0 }).then(() => {
      throw this.#lastFailure ?? new TransportError('closed', 'The connection to the server was closed.');
    });
    // A caller that does not await a notification must not cause an unhandled rejection.
    refusal.catch(() => {});
    return refusal;
  }

  #end(run: Run, graces: Pick<Graces, 'closeMs'>, ifSignalled?: string): Promise<void> {
    run.ending ??= this.#endOnce(run, { ...graces, termMs: this.#parameters.termGraceMs ?? 2000 }, ifSignalled);
    return run.ending;
  }

  async #endOnce(run: Run, graces: Graces, ifSignalled: string | undefined): Promise<void> {
    const { child, reader, writer } = run;
    const wasAsked = this.#isAsked;
    writer.flush();
    await child.terminate(graces);
    reader.end();
    reader.stop();
    if (!wasAsked) this.#lastFailure = this.#failureOf(child, ifSignalled);
    writer.fail(this.#lastFailure ?? new TransportError('closed', 'The connection to the server was closed.'));
    this.#run = undefined;
    attempt(() => this.onclose?.(), this.#problem);
  }

  readonly #problem = (problem: unknown): void => report((error) => this.onerror?.(error), problem);

  #failureOf(child: ServerChild, ifSignalled: string | undefined): TransportError {
    if (child.spawnError !== undefined) return spawnFailure(this.#program, child.spawnError);
    const { pid, exitCode, exitSignal: signal, stderrTail: stderr } = child;
    const end = { pid, exitCode, signal, stderr, env: this.#parameters.env ?? {} };
    return childExited(this.#program, end, child.wasSignalled ? ifSignalled : undefined);
  }
}
