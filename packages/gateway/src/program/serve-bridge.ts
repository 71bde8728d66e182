import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from 'crosspoint/server';
import { bridge } from '../bridge.ts';
import type { BridgeOptions } from '../bridge-options.ts';
import type { BridgeRecorder } from '../recorder.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { asError } from '../values/guarded.ts';
import { hiding } from '../values/hidden-values.ts';
import type { BridgeCommand } from './bridge-command.ts';
import { serveHttpFace, serveStdioFace } from './faces.ts';
import { Log } from './log.ts';
import { openStore } from './open-store.ts';
import { ProgramError } from './program-error.ts';
import { openRecording } from './recording.ts';
import { settingsOf } from './settings-of.ts';
import { SourceReader } from './source-reader.ts';
import { upstreamOf } from './upstream-of.ts';

/** Makes the bridge that is served. */
export type MakeBridge = (upstream: Upstream, options: BridgeOptions) => Server;

export interface ServeBridgeOptions {
  /** Ends the bridge, in order. */
  readonly signal?: AbortSignal | undefined;
  /** Values that are masked in everything that is written. */
  readonly secrets?: readonly string[] | undefined;
  /** Makes the bridge; `bridge` when absent. */
  readonly make?: MakeBridge | undefined;
}

/** Longer than a process of the server takes to end that ignores everything but SIGKILL. */
const ENDING_MS = 15_000;

/**
 * Serves a bridge until its client or the signal ends it. Rejects with a `ProgramError` where something that the command names cannot be used. stdout belongs to the
 * protocol; everything else goes to stderr. Parts that do not end within 15 seconds are left to the end of the process.
 *
 * ```js
 * await serveBridge({ target: { kind: 'program', command: 'node', args: ['server.mjs'] }, face: { kind: 'stdio' } });
 * ```
 */
export async function serveBridge(
  command: BridgeCommand,
  { signal, secrets = [], make = bridge }: ServeBridgeOptions = {},
): Promise<void> {
  const sources = new SourceReader(process.env, (message) => log.note(message));
  for (const secret of secrets) sources.hide(secret);
  const log: Log = new Log(
    command.log ?? 'normal',
    (text) => void process.stderr.write(text),
    () => sources.secrets,
  );
  try {
    await new RunningBridge(command, sources, log).run(make, signal ?? new AbortController().signal);
  } catch (error) {
    const { message, stack } = asError(error);
    if (!(error instanceof ProgramError)) log.detail(stack ?? '');
    throw new ProgramError(hiding(sources.secrets)(message), { cause: error });
  }
}

/** One run of the program, from opening what it needs to closing it. */
class RunningBridge {
  readonly #command: BridgeCommand;
  readonly #sources: SourceReader;
  readonly #log: Log;
  /** Opened parts, in the order in which they are closed. */
  readonly #closing: (() => Promise<unknown>)[] = [];

  constructor(command: BridgeCommand, sources: SourceReader, log: Log) {
    this.#command = command;
    this.#sources = sources;
    this.#log = log;
  }

  async run(make: MakeBridge, signal: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    try {
      await Promise.race([ended, this.#serve(make)]);
    } finally {
      await this.#close();
    }
  }

  /** Resolves when the client has left. */
  async #serve(make: MakeBridge): Promise<void> {
    const { face, store: choice = { kind: 'memory' } } = this.#command;
    const log = this.#log;
    const sources = this.#sources;
    const onproblem = ({ message }: Error): void => log.problem(message);
    const recorder = this.#record();
    const server = upstreamOf(this.#command, {
      log,
      onstderr: (line) => recorder?.stderr(line),
    });
    this.#opened(async () => server.close?.());
    const opened = await openStore(choice, sources, onproblem);
    const { store } = opened;
    this.#closing.push(() => opened.close());
    const settings = settingsOf(this.#command, sources, { store, onproblem });
    const made = make(recorder?.upstream(server) ?? server, settings);
    this.#opened(() => made.close());
    const tools = { sources, store: choice.kind === 'memory' ? undefined : store, log, recorder };
    const served = face.kind === 'http' ? await serveHttpFace(made, face, tools) : await serveStdioFace(made, tools);
    this.#opened(() => served.close());
    await served.ended;
  }

  #record(): BridgeRecorder | undefined {
    const { record: path } = this.#command;
    if (path === undefined) return undefined;
    const onproblem = ({ message }: Error): void => this.#log.problem(message);
    const recording = openRecording(path, { sources: this.#sources, onproblem });
    this.#closing.push(() => recording.close());
    this.#log.note(`recording what passes into "${path}"`);
    return recording.recorder;
  }

  /** Adds a part; it stands on the parts that were opened before, and is closed before them. */
  #opened(close: () => Promise<unknown>): void {
    this.#closing.unshift(close);
  }

  async #close(): Promise<void> {
    const over = new AbortController();
    const late = delay(ENDING_MS, undefined, { signal: over.signal }).then(
      () => this.#log.problem(`not everything ended within ${ENDING_MS} ms; what is left is killed.`),
      () => {},
    );
    await Promise.race([this.#closeAll(), late]);
    over.abort();
  }

  async #closeAll(): Promise<void> {
    for (const close of this.#closing.splice(0))
      await close().catch((error: unknown) => this.#log.problem(asError(error).message));
  }
}
