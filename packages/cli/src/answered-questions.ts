import type { InboxItem } from '@crosspoint/host';
import type { Answerer } from './answering/answerer.ts';
import { CliError } from './errors/cli-error.ts';
import type { OpenServer } from './server/open-server.ts';
import type { OperationEvent } from './server/operations.ts';

export interface AnsweringWays {
  readonly answerer: Answerer;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** Called after an answer was found and before it is given: a page that the user agreed to is opened. */
  readonly onanswer: (item: InboxItem, answer: NonNullable<Awaited<ReturnType<Answerer>>>) => Promise<void>;
  /** Called for a question that no answerer takes. */
  readonly nobody: (item: InboxItem) => void;
  /** Called where an answer could not be found or given. */
  readonly failed: (error: unknown) => void;
}

/** Answers the questions among the events of a server, one after the other. One that is over meanwhile is left. */
export function answering(
  server: () => OpenServer | undefined,
  { answerer, signal, onanswer, nobody, failed }: AnsweringWays,
): (event: OperationEvent) => void {
  const open = new Map<string, AbortController>();
  let last = Promise.resolve();
  const answer = async (item: InboxItem, over: AbortSignal): Promise<void> => {
    if (over.aborted) return;
    const found = await answerer(item, AbortSignal.any([signal, over]));
    if (over.aborted) return;
    if (found === undefined) return nobody(item);
    await onanswer(item, found);
    await server()?.request('requests.answer', { id: item.id, answer: found });
  };
  return (event) => {
    if (event.type === 'question-over') open.get(event.id)?.abort(new Error('The question was withdrawn.'));
    if (event.type !== 'question' || open.has(event.item.id)) return;
    const { item } = event;
    const over = new AbortController();
    open.set(item.id, over);
    last = last
      .then(() => answer(item, over.signal))
      .then(
        () => void open.delete(item.id),
        (error: unknown) => {
          open.delete(item.id);
          // Answered by another command at the same time.
          if (!over.signal.aborted && !signal.aborted) failed(error);
        },
      );
  };
}

/** The error of a command whose question nobody answers. */
export function unanswered({ id, kind, from }: InboxItem, server: OpenServer | undefined): CliError {
  if (kind === 'login')
    return new CliError('login', 'The server wants a login, and nobody is here to agree to it.', {
      hint: 'crosspoint auth login SERVER logs in.',
    });
  const call = from.call === undefined ? '' : `, crosspoint calls wait ${from.call.id} prints the result`;
  return new CliError('unanswered', `The server asks something (${kind}), and nobody is here to answer.`, {
    hint:
      server?.isKept === true
        ? `It goes on and waits: crosspoint requests show ${id} tells the question, crosspoint requests answer ${id} answers it${call}.`
        : 'Use a terminal, --rules FILE, or crosspoint connect, which keeps the question until it is answered.',
  });
}

/** Whether the question is about something that is not as the user knows it: it waits for nobody, and nothing was done. */
export function isChanged({ kind }: InboxItem): boolean {
  return kind === 'call' || kind === 'start';
}

/** The error of a command that would call or start something that is not as the user knows it. */
export async function changedError(item: InboxItem, server: OpenServer | undefined): Promise<CliError> {
  const { describeItem } = await import('@crosspoint/host');
  const { title, lines } = describeItem(item);
  const accept = `crosspoint servers accept ${server?.name ?? 'SERVER'}`;
  return new CliError('denied', [title, ...lines].join('\n'), {
    hint: `${item.kind === 'call' ? 'Nothing was called' : 'Nothing was started'}. ${accept} shows the differences and takes them for known${item.kind === 'call' ? '; so does --accept-changes for this tool' : ''}.`,
  });
}
