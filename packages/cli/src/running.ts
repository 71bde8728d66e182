import { answering, changedError, isChanged, unanswered } from './answered-questions.ts';
import { ruledAnswerer, type Answerer } from './answering/answerer.ts';
import { isTerminal } from './answering/confirm.ts';
import type { CommandContext, WithServerOptions } from './context.ts';
import type { TargetWords } from './grammar/command.ts';
import type { ParsedLine } from './grammar/parse.ts';
import type { Io } from './output/io.ts';
import type { Output } from './output/output.ts';
import { homeOf } from './place/home.ts';
import type { HeldServers } from './server/held-servers.ts';
import type { OpenServer } from './server/open-server.ts';
import type { OperationEvent, OperationName, OperationOptions, ParamsOf, ResultOf } from './server/operations.ts';
import { openServer, type OpeningPlace } from './server/server-opener.ts';

interface Surroundings {
  readonly io: Io;
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly onInterrupt: CommandContext['onInterrupt'];
  readonly held?: HeldServers | undefined;
}

/** The parts of a command line that decide who answers questions. */
interface Asking extends Omit<Surroundings, 'onInterrupt' | 'held'> {
  readonly globals: ParsedLine['globals'];
  readonly rules: string | undefined;
}

/** The context of a command line. */
export function contextFor(
  { globals, reaching }: ParsedLine,
  { io, output, signal, onInterrupt, held: heldByLine }: Surroundings,
): Omit<CommandContext, 'groups' | 'runLine' | 'onshell' | 'held'> {
  const home = homeOf(io.env);
  const place: OpeningPlace = {
    home,
    cwd: io.cwd,
    env: io.env,
    note: (text) => output.note(text),
  };
  const asking: Asking = { io, output, signal, globals, rules: reaching.rules };
  const withServer = async <T>(
    target: TargetWords,
    work: (server: OpenServer) => Promise<T>,
    { answerer, withTimeline, held = heldByLine }: WithServerOptions = {},
  ): Promise<T> => {
    let server: OpenServer | undefined;
    const questions = await questionsOf(() => server, await answererFor(asking, answerer), asking);
    try {
      const options = { ...questions, withTimeline, onopening: (opening: OpenServer) => void (server = opening) };
      server =
        (await held?.open(target, reaching, place, options)) ?? (await openServer(target, reaching, place, options));
      return await orEnded(work(new AnsweredServer(server, questions)), questions.signal);
    } finally {
      await server?.release();
    }
  };
  const answered: CommandContext['answered'] = async (server, work) => {
    const questions = await questionsOf(() => server, await answererFor(asking), asking);
    return orEnded(work(questions), questions.signal);
  };
  const answerer = (): Promise<Answerer> => answererFor(asking);
  return { io, output, home, globals, reaching, signal, withServer, answered, answerer, onInterrupt };
}

/** How the questions of a server are dealt with while something is done there. */
export interface Questions {
  /** Takes the questions among the events, and answers them. */
  readonly onevent: (event: OperationEvent) => void;
  /** Aborts with the command, and when nobody can answer. */
  readonly signal: AbortSignal;
}

async function questionsOf(
  server: () => OpenServer | undefined,
  answerer: Answerer,
  { globals, output, signal }: Asking,
): Promise<Questions> {
  const over = new AbortController();
  const onevent = answering(server, {
    answerer,
    signal,
    onanswer: async (item, answer) => {
      if (item.kind !== 'url' && item.kind !== 'login') return;
      const { openPage } = await import('./answering/open-page.ts');
      await openPage(item, answer, { noBrowser: globals['no-browser'], say: (text) => output.fault(text) });
    },
    nobody: (item) => {
      if (isChanged(item)) return void changedError(item, server()).then((error) => over.abort(error));
      if (server()?.isKept === true) server()?.park();
      over.abort(unanswered(item, server()));
    },
    failed: (error) => over.abort(error),
  });
  return { onevent, signal: AbortSignal.any([signal, over.signal]) };
}

/** A server whose questions are answered while its operations run, and whose operations end with the command. */
class AnsweredServer implements OpenServer {
  readonly name: string;
  readonly isKept: boolean;
  readonly #server: OpenServer;
  readonly #signal: AbortSignal;
  readonly #onevent: (event: OperationEvent) => void;

  constructor(server: OpenServer, { signal, onevent }: Questions) {
    this.name = server.name;
    this.isKept = server.isKept;
    this.#server = server;
    this.#signal = signal;
    this.#onevent = onevent;
  }

  request<Name extends OperationName>(
    operation: Name,
    params: ParamsOf<Name>,
    options: OperationOptions = {},
  ): Promise<ResultOf<Name>> {
    const signal = options.signal === undefined ? this.#signal : AbortSignal.any([this.#signal, options.signal]);
    const onevent = (event: OperationEvent): void => {
      this.#onevent(event);
      options.onevent?.(event);
    };
    return this.#server.request(operation, params, { signal, onevent });
  }

  park(): void {
    this.#server.park();
  }

  release(): Promise<void> {
    return this.#server.release();
  }
}

/** The command itself first, then rules, then the person at the terminal. */
async function answererFor({ rules, io, output }: Asking, own?: Answerer): Promise<Answerer> {
  const ruled = rules === undefined ? undefined : await ruledAnswerer(rules);
  const person = isTerminal(io) ? personAnswerer(io, output) : undefined;
  return async (item, signal) =>
    (await own?.(item, signal)) ?? (await ruled?.(item, signal)) ?? (await person?.(item, signal));
}

function personAnswerer(io: Io, output: Output): Answerer {
  return async (item, signal) => {
    const { askPerson } = await import('./answering/ask-person.ts');
    return output.withoutProgress(() => askPerson(item, io, signal));
  };
}

/** The work, or the reason why it ended early. */
function orEnded<T>(work: Promise<T>, ended: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    ended.addEventListener('abort', () => reject(ended.reason as Error), { once: true });
  });
}
