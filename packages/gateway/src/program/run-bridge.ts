import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from 'crosspoint/server';
import { bridge } from '../bridge.ts';
import type { BridgeOptions } from '../bridge-options.ts';
import type { BridgeRecorder } from '../recorder.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { asError } from '../values/guarded.ts';
import type { BridgeCommand } from './bridge-command.ts';
import { serveHttpFace, serveStdioFace } from './faces.ts';
import { HELP } from './help.ts';
import { Log } from './log.ts';
import { openStore } from './open-store.ts';
import { ProgramError } from './program-error.ts';
import { readArguments, type Arguments } from './read-arguments.ts';
import { openRecording } from './recording.ts';
import { settingsOf } from './settings-of.ts';
import { SourceReader } from './source-reader.ts';
import { upstreamOf } from './upstream-of.ts';
import { UsageError } from './usage-error.ts';
import { versionOf } from './version.ts';

/** Makes the bridge that the program serves. */
export type MakeBridge = (upstream: Upstream, options: BridgeOptions) => Server;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Longer than a process of the server takes to end that ignores everything but SIGKILL. */
const ENDING_MS = 15_000;

const toStderr = (text: string): void => void process.stderr.write(text);

/**
 * The bridge as a program: reads its arguments, serves until its client or a signal ends it, and resolves with the exit code: 0 ended normally,
 * 1 failed, 2 wrong arguments. stdout belongs to the protocol; everything else goes to stderr.
 *
 * ```js
 * process.exit(await runBridge(process.argv.slice(2)));
 * ```
 */
export async function runBridge(argv: readonly string[], make: MakeBridge = bridge): Promise<number> {
  const read = attemptToRead(argv);
  if (read instanceof UsageError) return usage(read.message);
  if (read.action !== 'serve') {
    const text = read.action === 'help' ? HELP : `${versionOf()}\n`;
    await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
    return 0;
  }
  const { command } = read;
  if (command.face.kind === 'stdio' && !command.face.isExplicit && process.stdin.isTTY)
    return usage(
      'stdin is a terminal, and no client. Add --listen 127.0.0.1:3000 for HTTP, or --stdio to type messages.',
    );
  const sources = new SourceReader(process.env, (message) => log.note(message));
  const log: Log = new Log(command.log, toStderr, () => sources.secrets);
  try {
    await new RunningBridge(command, sources, log).run(make);
    return 0;
  } catch (error) {
    const { message, stack } = asError(error);
    log.problem(error instanceof ProgramError ? message : `failed: ${message}`);
    if (!(error instanceof ProgramError)) log.detail(stack ?? '');
    return 1;
  }
}

function attemptToRead(argv: readonly string[]): Arguments | UsageError {
  try {
    return readArguments(argv);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

function usage(message: string): number {
  toStderr(`bridge: ${message}\nbridge: --help shows how it is used.\n`);
  return 2;
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

  async run(make: MakeBridge): Promise<void> {
    const signal = watchSignals();
    try {
      await Promise.race([signal.came, this.#serve(make)]);
    } finally {
      await this.#close();
      signal.stop();
    }
  }

  /** Resolves when the client has left. */
  async #serve(make: MakeBridge): Promise<void> {
    const { face, store: choice } = this.#command;
    const log = this.#log;
    const sources = this.#sources;
    const onproblem = ({ message }: Error): void => log.problem(message);
    const recorder = this.#record();
    const server = upstreamOf(this.#command, sources, {
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
    const tools = { sources, store, log, recorder };
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

/** The first signal ends the program in order; a second one ends it at once, and with it the processes of the server. */
function watchSignals(): { readonly came: Promise<void>; stop(): void } {
  let heard: () => void;
  const came = new Promise<void>((resolve) => {
    heard = resolve;
  });
  let isSecond = false;
  const onsignal = (): void => {
    if (isSecond) process.exit(1);
    isSecond = true;
    heard();
  };
  for (const signal of SIGNALS) process.on(signal, onsignal);
  return {
    came,
    stop() {
      for (const signal of SIGNALS) process.off(signal, onsignal);
    },
  };
}
