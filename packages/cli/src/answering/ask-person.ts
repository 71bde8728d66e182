import { describeItem, refusal, visibleLine, type AnswerTo, type InboxItem, type QuestionKind } from '@crosspoint/host';
import type { Io } from '../output/io.ts';
import { askCall, askInput, askRoots, askSampled, askSampling } from './ask-kinds.ts';
import { askForm } from './ask-form.ts';
import { Dialog, LeftError } from './dialog.ts';

/** Shows a question with everything that a person has to know, and asks for the answer. Rejects with the reason of the signal. */
export async function askPerson(
  item: InboxItem,
  io: Pick<Io, 'stdin' | 'stderr'>,
  signal: AbortSignal,
): Promise<AnswerTo<QuestionKind>> {
  const { title, lines } = describeItem(item);
  const dialog = new Dialog(io, signal);
  dialog.say(['', `== ${title}`, ...lines.map((line) => `   ${line}`)].join('\n'));
  try {
    return await answerOf(item, dialog);
  } catch (error) {
    if (!(error instanceof LeftError)) throw error;
    return left(item.kind);
  } finally {
    dialog.close();
  }
}

/** The answer of a person who leaves a question: neither yes nor no, where the kind can say that. */
function left(kind: QuestionKind): AnswerTo<QuestionKind> {
  return kind === 'form' || kind === 'url' ? { action: 'cancel' } : refusal(kind);
}

async function answerOf(item: InboxItem, dialog: Dialog): Promise<AnswerTo<QuestionKind>> {
  switch (item.kind) {
    case 'call':
      return askCall(item, dialog);
    case 'form':
      return askForm(item, dialog);
    case 'url': {
      const word = await dialog.choose(['open', 'decline', 'cancel']);
      return { action: word === 'open' ? 'accept' : word };
    }
    case 'login':
      dialog.say(`   Only log in at ${visibleLine(item.question.host)} if you know it.`);
      return { action: (await dialog.choose(['open', 'deny'])) === 'open' ? 'allow' : 'deny' };
    case 'sampling':
      return askSampling(item, dialog);
    case 'sampled':
      return askSampled(item, dialog);
    case 'roots':
      return askRoots(item, dialog);
    case 'input':
      return askInput(item, dialog);
    case 'start':
    case 'result':
      return { action: await dialog.choose(['allow', 'deny']) };
  }
}
