import { CliError } from '../../errors/cli-error.ts';
import type { ResultOf } from '../operations.ts';
import type { HeldTask } from '../tasks/held-tasks.ts';
import type { Work } from '../work.ts';
import type { QuestionDesk } from './desk.ts';
import type { HeldCallFacts, QuestionOperations } from './operations.ts';

type Table = {
  readonly [Name in keyof QuestionOperations]: (work: Work<Name>) => Promise<ResultOf<Name>> | ResultOf<Name>;
};

/** How the operations about questions are carried out. */
export const QUESTION_TABLE: Table = {
  'calls.list': listCalls,
  'calls.wait': waitForCall,
  'calls.cancel': ({ host, params: { call } }) => {
    if (!host.cancel(call)) throw noCall(call);
    return {};
  },
  'requests.list': ({ held }) => ({ requests: held.desk.list() }),
  'requests.answer': ({ host, params: { id, answer } }) => {
    host.inbox.answer(id, answer);
    return {};
  },
  'requests.respond': async ({ held, signal, onevent }) => {
    if (signal === undefined || onevent === undefined) throw new TypeError('Responding needs a signal and a listener.');
    await held.desk.respond(onevent, signal);
    return {};
  },
  'requests.pass': ({ held, params: { id } }) => {
    held.desk.pass(id);
    return {};
  },
};

function listCalls({ held }: Work<'calls.list'>): { readonly calls: readonly HeldCallFacts[] } {
  const calls = held.calls.list().map(({ facts, outcome }): HeldCallFacts => {
    const requests = held.desk.list(facts.id).map(({ id }) => id);
    return { ...facts, state: outcome === 'running' && requests.length > 0 ? 'waiting' : outcome, requests };
  });
  return { calls: [...calls, ...held.tasks.list().map((one) => callOfTask(one, held.desk))] };
}

/** The call that a task began with. */
function callOfTask(
  { call, tool = '', arguments: args = {}, task, isOver }: HeldTask,
  desk: QuestionDesk,
): HeldCallFacts {
  const requests = desk.list(call).map(({ id }) => id);
  const outcome = !isOver ? 'running' : task.status === 'completed' ? 'done' : 'failed';
  const state = outcome === 'running' && requests.length > 0 ? 'waiting' : outcome;
  return { id: call, tool, arguments: args, startedAt: task.createdAt, state, requests };
}

/** Waits as long as the command does; the call goes on where the command gives up. */
async function waitForCall({
  held,
  params: { call },
  signal,
  onevent,
}: Work<'calls.wait'>): Promise<ResultOf<'calls.wait'>> {
  const task = held.tasks.list().find((one) => one.call === call);
  const result = task?.result ?? held.calls.wait(call, onevent);
  if (result === undefined) throw noCall(call);
  // Questions that came before this command did; those whose server does not say for which call may be of this one.
  for (const item of held.desk.list()) {
    const isOther = item.from.call !== undefined && item.from.call.id !== call;
    if (!isOther && !held.desk.isOffered(item.id)) onevent?.({ type: 'question', item });
  }
  try {
    return await orGivenUp(result, signal);
  } finally {
    held.calls.forget(call);
  }
}

function noCall(call: string): CliError {
  return new CliError('usage', `There is no call ${JSON.stringify(call)} on this connection.`, {
    hint: 'crosspoint calls ls lists those that go on, and those whose result waits.',
  });
}

/** The work, or the reason of the signal where that aborts first. The work goes on. */
export function orGivenUp<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
