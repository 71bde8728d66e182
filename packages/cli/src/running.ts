import type { InboxItem } from '@crosspoint/host';
import { ruledAnswerer, type Answerer } from './answering/answerer.ts';
import type { CommandContext, WithServerOptions } from './context.ts';
import { CliError } from './errors/cli-error.ts';
import type { TargetWords } from './grammar/command.ts';
import type { ParsedLine } from './grammar/parse.ts';
import type { Io } from './output/io.ts';
import type { Output } from './output/output.ts';
import { homeOf } from './place/home.ts';
import type { OpenServer } from './server/open-server.ts';
import type { OperationEvent, OperationName, OperationOptions, ParamsOf, ResultOf } from './server/operations.ts';
import { answering, openServer, type OpeningPlace } from './server/server-opener.ts';

interface Surroundings {
  readonly io: Io;
  readonly output: Output;
  readonly signal: AbortSignal;
}

/** The context of a command line. */
export function contextFor(
  { globals, reaching }: ParsedLine,
  { io, output, signal }: Surroundings,
): Omit<CommandContext, 'groups'> {
  const home = homeOf(io.env);
  const place: OpeningPlace = {
    home,
    cwd: io.cwd,
    env: io.env,
    noBrowser: globals['no-browser'],
    note: (text) => output.note(text),
  };
  const withServer = async <T>(
    target: TargetWords,
    work: (server: OpenServer) => Promise<T>,
    { answerer, withTimeline }: WithServerOptions = {},
  ): Promise<T> => {
    let server: OpenServer | undefined;
    const questions = await questionsOf(() => server, await answererFor(reaching.rules, answerer), signal);
    try {
      const options = { ...questions, withTimeline, onopening: (opening: OpenServer) => void (server = opening) };
      server = await openServer(target, reaching, place, options);
      return await orEnded(work(new AnsweredServer(server, questions)), questions.signal);
    } finally {
      await server?.release();
    }
  };
  const answered: CommandContext['answered'] = async (server, work) => {
    const questions = await questionsOf(() => server, await answererFor(reaching.rules), signal);
    return orEnded(work(questions), questions.signal);
  };
  return { io, output, home, globals, reaching, signal, withServer, answered };
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
  signal: AbortSignal,
): Promise<Questions> {
  const over = new AbortController();
  const onevent = answering(server, answerer, {
    signal,
    nobody: ({ item }) => {
      if (isChanged(item)) return void changedError(item, server()).then((error) => over.abort(error));
      if (server()?.isKept === true) server()?.park();
      over.abort(unanswered(item.id, item.kind, server()));
    },
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

/** The command itself first, then rules. */
async function answererFor(rules: string | undefined, own?: Answerer): Promise<Answerer> {
  const ruled = rules === undefined ? undefined : await ruledAnswerer(rules);
  return async (item, signal) => (await own?.(item, signal)) ?? ruled?.(item, signal);
}

/** Whether the question is about something that is not as the user knows it: it waits for nobody, and nothing was done. */
function isChanged({ kind }: InboxItem): boolean {
  return kind === 'call' || kind === 'start';
}

async function changedError(item: InboxItem, server: OpenServer | undefined): Promise<CliError> {
  const { describeItem } = await import('@crosspoint/host');
  const { title, lines } = describeItem(item);
  const accept = `crosspoint servers accept ${server?.name ?? 'SERVER'}`;
  return new CliError('denied', [title, ...lines].join('\n'), {
    hint: `${item.kind === 'call' ? 'Nothing was called' : 'Nothing was started'}. ${accept} shows the differences and takes them for known${item.kind === 'call' ? '; so does --accept-changes for this tool' : ''}.`,
  });
}

function unanswered(id: string, kind: string, server: OpenServer | undefined): CliError {
  if (kind === 'login')
    return new CliError('login', 'The server wants a login, and nobody is here to agree to it.', {
      hint: 'crosspoint auth login SERVER logs in.',
    });
  const isKept = server?.isKept === true;
  return new CliError('unanswered', `The server asks something (${kind}), and nobody is here to answer.`, {
    hint: isKept
      ? `The question waits: crosspoint requests answer ${id}`
      : 'Use a terminal, --rules FILE, or crosspoint connect, which keeps the question until it is answered.',
  });
}

/** The work, or the reason why it ended early. */
function orEnded<T>(work: Promise<T>, ended: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    ended.addEventListener('abort', () => reject(ended.reason as Error), { once: true });
  });
}
