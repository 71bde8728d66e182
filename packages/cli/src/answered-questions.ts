import type { AnswerTo, InboxItem, QuestionKind } from '@crosspoint/host';
import { AnswersInOrder, type AnsweringWays } from './answering/in-order.ts';
import { CliError } from './errors/cli-error.ts';
import type { OpenServer } from './server/open-server.ts';
import type { OperationEvent } from './server/operations.ts';

/** Answers the questions among the events of a server. */
export function answering(server: () => OpenServer | undefined, ways: AnsweringWays): (event: OperationEvent) => void {
  const answers = new AnswersInOrder(ways);
  const give = async ({ id }: InboxItem, answer: AnswerTo<QuestionKind>): Promise<void> => {
    await server()?.request('requests.answer', { id, answer });
  };
  return (event) => {
    if (event.type === 'question') answers.asked(event.item, give);
    else if (event.type === 'question-over') answers.over(event.id);
  };
}

/** The error of a command whose question nobody answers. */
export function unanswered({ id, kind, from }: InboxItem, server: OpenServer | undefined): CliError {
  if (kind === 'login')
    return new CliError('login', 'The server wants a login, and nobody is here to agree to it.', {
      hint: 'crosspoint auth login SERVER logs in.',
    });
  const call =
    from.call === undefined
      ? ', crosspoint calls ls lists the calls, one of which waits for it'
      : `, crosspoint calls wait ${from.call.id} prints the result`;
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
