import type { Answerer } from './answering/answerer.ts';
import type { CommandGroup, TargetWords } from './grammar/command.ts';
import type { GlobalValues, TargetValues } from './grammar/parse.ts';
import type { Io } from './output/io.ts';
import type { Output } from './output/output.ts';
import type { Home } from './place/home.ts';
import type { Questions } from './running.ts';
import type { HeldServers } from './server/held-servers.ts';
import type { OpenServer } from './server/open-server.ts';
import type { ServerFacts } from './server/operations.ts';

/** Everything that a command works with, beside its own words. */
export interface CommandContext {
  readonly io: Io;
  readonly output: Output;
  readonly home: Home;
  readonly globals: GlobalValues;
  readonly reaching: TargetValues;
  /** Every first word, for commands that tell of other commands. */
  readonly groups: readonly CommandGroup[];
  /** Aborts on Ctrl-C, on a signal, and when `--timeout` is over. */
  readonly signal: AbortSignal;
  /**
   * Does the work with the server that was named, kept or opened for this command, and lets go of it in the end. Questions of the server
   * that come meanwhile are answered by `--rules`, at the terminal, or by nobody, which ends the command.
   */
  readonly withServer: <T>(
    target: TargetWords,
    work: (server: OpenServer) => Promise<T>,
    options?: WithServerOptions,
  ) => Promise<T>;
  /** Answers questions as `withServer` does: by `--rules`, then by the person at the terminal; nobody where there is neither. */
  readonly answerer: () => Promise<Answerer>;
  /** Calls `handler` on Ctrl-C, in place of ending the command, until the function that it returns is called. A second Ctrl-C within a second ends it. */
  readonly onInterrupt: (handler: () => void) => () => void;
  /** The same for a server that the command has opened itself. */
  readonly answered: <T>(server: OpenServer, work: (questions: Questions) => Promise<T>) => Promise<T>;
  /** Carries out a further command line, tells what went wrong in it, and resolves with its exit code. */
  readonly runLine: (words: readonly string[], place: LinePlace) => Promise<number>;
  /** Servers that are open for this line and those after it, in a shell. */
  readonly held?: HeldServers | undefined;
  readonly onshell: LinePlace['onshell'];
}

/** The surroundings of one command line. */
export interface LinePlace {
  readonly io: Io;
  /** Servers that are open for this line and those after it. */
  readonly held?: HeldServers;
  /** Called at a second Ctrl-C, when the line has not ended after the first; absent, the process ends. */
  readonly onagain?: () => void;
  /** See `RunOptions`. */
  readonly onshell?: ((servers: readonly ServerFacts[]) => void) | undefined;
}

export interface WithServerOptions {
  /** Answers before `--rules` and the person at the terminal do. */
  readonly answerer?: Answerer;
  /** Keeps a record of what led to what; a kept connection always does. */
  readonly withTimeline?: boolean;
  /** Looked into before the server is opened for this command; those of the line when absent. */
  readonly held?: HeldServers;
}
