import { refusal, type AnswerTo, type InboxItem, type JsonObject, type QuestionKind } from '@crosspoint/host';
import { isTerminal } from '../../answering/confirm.ts';
import { openPage } from '../../answering/open-page.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import type { KeptServer } from '../../keeper/kept-server.ts';
import { resultOf } from '../calls/kept-calls.ts';
import { withRequest } from './kept-requests.ts';
import { readAnswer, type AnswerWords } from './read-answer.ts';

export async function answerRequest(
  id: string,
  { wait, ...words }: AnswerWords & { readonly wait: boolean },
  context: CommandContext,
): Promise<Ending | void> {
  const { io, output, signal } = context;
  return withRequest(id, context, async (item, server) => {
    const read = await readAnswer(item, words, io);
    const answer = read ?? (await asked(item, context));
    await openPage(item, answer as AnswerTo<QuestionKind>, {
      noBrowser: context.globals['no-browser'],
      say: (text) => output.fault(text),
    });
    await server.request('requests.answer', { id, answer }, { signal });
    return answered(item, { answer, wait, server }, context);
  });
}

export async function declineRequest(
  id: string,
  { cancel, wait }: { readonly cancel: boolean; readonly wait: boolean },
  context: CommandContext,
): Promise<Ending | void> {
  return withRequest(id, context, async (item, server) => {
    const canCancel = item.kind === 'form' || item.kind === 'url' || item.kind === 'input';
    if (cancel && !canCancel)
      throw new CliError('usage', `A question of kind "${item.kind}" is answered with yes or no: leave out --cancel.`);
    const answer = cancel ? ({ action: 'cancel' } as const) : refusal(item.kind);
    await server.request('requests.answer', { id, answer }, { signal: context.signal });
    return answered(item, { answer, wait, server }, context);
  });
}

/** The answer of the person at the terminal. */
async function asked(item: InboxItem, { io, signal }: CommandContext): Promise<AnswerTo<QuestionKind>> {
  if (!isTerminal(io))
    throw new CliError('usage', `The answer is missing, and there is no terminal to ask at.`, {
      hint: `crosspoint requests show ${item.id} tells what it takes: fields (NAME=VALUE), --yes, --reply or --answer FILE.`,
    });
  const { askPerson } = await import('../../answering/ask-person.ts');
  return askPerson(item, io, signal);
}

interface Given {
  readonly answer: AnswerTo<QuestionKind> | JsonObject;
  readonly wait: boolean;
  readonly server: KeptServer;
}

async function answered(
  { id, kind, from }: InboxItem,
  { answer, wait, server }: Given,
  context: CommandContext,
): Promise<Ending | void> {
  const call = from.call?.id;
  if (wait && call !== undefined) return resultOf(call, server, context);
  const told = { id, connection: server.name, kind, action: answer['action'], ...(call !== undefined && { call }) };
  context.output.result(told, () =>
    call === undefined ? 'Answered.' : `Answered. crosspoint calls wait ${call} prints the result of the call.`,
  );
}
