import { setTimeout as pause } from 'node:timers/promises';
import { refusal, type AnswerTo, type InboxItem, type QuestionKind } from '@crosspoint/host';
import type { Answerer } from '../../answering/answerer.ts';
import { isTerminal } from '../../answering/confirm.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import type { TargetWords } from '../../grammar/command.ts';
import type { OpenServer } from '../../server/open-server.ts';
import type { TaskFacts } from '../../server/tasks/operations.ts';
import { readAnswer, type AnswerWords } from '../requests/read-answer.ts';
import { showResult } from '../tools/show-result.ts';
import { showEvent } from './following.ts';
import { taskText } from './task-text.ts';

export interface TaskAnswerWords extends AnswerWords {
  readonly task: string;
  readonly decline: boolean;
  readonly wait: boolean;
}

/** Milliseconds between two looks whether the server has the answer. */
const LOOK_MS = 200;

/** Answers the question that a task asks: waits for the task until the question is there, and longer with `wait`. */
export async function answerTask(
  target: TargetWords,
  words: TaskAnswerWords,
  context: CommandContext,
): Promise<Ending> {
  const { task } = words;
  const given = new GivenAnswer(words, context);
  return context.withServer(
    target,
    async (server) => {
      const { status, requests } = await server.request('tasks.get', { task });
      if (status !== 'input_required' && requests.length === 0)
        throw new CliError('usage', `The task ${task} asks nothing: it is ${status}. Nothing was answered.`);
      const stop = new AbortController();
      const result = server.request(
        'tasks.wait',
        { task },
        {
          signal: stop.signal,
          onevent(event) {
            if (event.type === 'question-over' && event.id === given.id && !words.wait) stop.abort();
            showEvent(event, context);
          },
        },
      );
      if (words.wait) return showResult(await result, context);
      await result.catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
      const after = await taken(server, task, context.signal);
      context.output.result(after, () => taskText([after]));
      return 'ok';
    },
    { answerer: given.answer },
  );
}

/** The task once the server has the answer. A connection of this command alone must not end before. */
async function taken(server: OpenServer, task: string, signal: AbortSignal): Promise<TaskFacts> {
  for (;;) {
    const now = await server.request('tasks.get', { task });
    if (server.isKept || now.status !== 'input_required') return now;
    await pause(LOOK_MS, undefined, { signal });
  }
}

/** The answer of the command line, for the first question that comes. */
class GivenAnswer {
  readonly #words: TaskAnswerWords;
  readonly #context: CommandContext;
  /** The question that was answered. */
  id: string | undefined;

  constructor(words: TaskAnswerWords, context: CommandContext) {
    this.#words = words;
    this.#context = context;
  }

  readonly answer: Answerer = async (item) => {
    if (this.id !== undefined) return undefined;
    const answer = this.#words.decline ? refusal(item.kind) : await this.#read(item);
    if (answer !== undefined) this.id = item.id;
    return answer;
  };

  async #read(item: InboxItem): Promise<AnswerTo<QuestionKind> | undefined> {
    const { io } = this.#context;
    const read = await readAnswer(item, this.#words, io);
    if (read === undefined && !isTerminal(io))
      throw new CliError(
        'usage',
        'The answer is missing: fields (NAME=VALUE), --yes, --decline, --reply or --answer FILE.',
      );
    return read as AnswerTo<QuestionKind> | undefined;
  }
}
