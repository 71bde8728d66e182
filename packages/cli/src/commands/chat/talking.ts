import { text as readAll } from 'node:stream/consumers';
import { visibleLine, visibleText, type Host } from '@crosspoint/host';
import type { Run, RunResult } from '@crosspoint/host/agent';
import { ModelError } from '@crosspoint/host/models';
import { isTerminal } from '../../answering/confirm.ts';
import { Dialog, LeftError } from '../../answering/dialog.ts';
import { AnswersInOrder } from '../../answering/in-order.ts';
import { openPage } from '../../answering/open-page.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import { readInput } from '../../values/read-input.ts';
import { ChatHost, type ChatServers } from './chat-host.ts';
import { providerOf, type ModelWords } from './provider.ts';
import { RunPrinter } from './show-event.ts';

export interface ChatWords extends ChatServers, ModelWords {
  readonly prompt: string | undefined;
  readonly system: string | undefined;
  readonly rounds: number | undefined;
  readonly tokens: number | undefined;
  readonly resume: string | undefined;
}

export async function talk(words: ChatWords, context: CommandContext): Promise<Ending> {
  const { io, output } = context;
  const isTalk = words.prompt === undefined && isTerminal(io);
  const model = await providerOf(words, context);
  const system = words.system === undefined ? undefined : await readInput(words.system, io);
  const prompt = isTalk ? undefined : (words.prompt ?? (io.isShared === true ? '' : (await readAll(io.stdin)).trim()));
  if (prompt === '') throw new CliError('usage', 'Your words are missing: --prompt TEXT, or a text on stdin.');
  if (words.words.length === 0 && words.target === undefined) output.note('Without a server, the model has no tools.');
  const questions = await chatQuestions(context);
  const opened = await ChatHost.open(
    words,
    { ...model, system, rounds: words.rounds, tokens: words.tokens },
    questions.answers,
    context,
  );
  const conversation = new Conversation(opened.host, words.resume, context, questions);
  try {
    if (prompt !== undefined) return await conversation.say(prompt);
    return await interactive(conversation, context);
  } finally {
    await opened.close();
  }
}

interface ChatQuestions {
  readonly answers: AnswersInOrder;
  /** Aborts where nobody can answer. */
  readonly unanswered: AbortSignal;
}

async function chatQuestions({ answerer, signal, globals, output }: CommandContext): Promise<ChatQuestions> {
  const over = new AbortController();
  const answers = new AnswersInOrder({
    answerer: await answerer(),
    signal,
    onanswer: (item, answer) =>
      openPage(item, answer, { noBrowser: globals['no-browser'], say: (text) => output.fault(text) }),
    nobody: ({ kind, from }) => {
      const what = kind === 'call' ? `to call ${from.call?.tool ?? 'a tool'}` : `(${kind})`;
      over.abort(
        new CliError('unanswered', `The model or a server asks ${what}, and nobody is here to answer.`, {
          hint: 'Use a terminal, --rules FILE, or a rule of your policy that allows it (crosspoint policy explain).',
        }),
      );
    },
    failed: (error) => over.abort(error),
  });
  return { answers, unanswered: over.signal };
}

/** One conversation: every turn goes on with the same run. */
class Conversation {
  readonly #host: Host;
  readonly #context: CommandContext;
  readonly #questions: ChatQuestions;
  #id: string | undefined;

  constructor(host: Host, id: string | undefined, context: CommandContext, questions: ChatQuestions) {
    this.#host = host;
    this.#id = id;
    this.#context = context;
    this.#questions = questions;
  }

  get id(): string | undefined {
    return this.#id;
  }

  listTools(): void {
    const names = this.#host.catalogue.tools().map(({ name }) => visibleLine(name));
    this.#context.output.note(names.join('\n') || 'There are no tools.');
  }

  /** Says something to the model and prints its answer. Rejects where the run ended for another reason than that it was done. */
  async say(words: string): Promise<Ending> {
    const ended = await this.turn(words, this.#context.signal);
    if (!this.#context.output.isJson)
      this.#context.output.note(`crosspoint chat … --resume ${ended.id} goes on with it.`);
    return endingOf(ended, AbortSignal.any([this.#context.signal, this.#questions.unanswered]));
  }

  async turn(words: string, signal: AbortSignal): Promise<RunResult> {
    const options = { signal: AbortSignal.any([signal, this.#questions.unanswered]) };
    const run: Run =
      this.#id === undefined
        ? this.#host.run(words, options)
        : this.#host.resume(this.#id, { ...options, messages: words });
    this.#id = run.id;
    const printer = new RunPrinter(this.#context.output);
    for await (const event of run) printer.show(event);
    return run.result;
  }
}

/** The ending of a run. Throws for every reason but `done`. */
function endingOf({ reason, detail, error }: RunResult, ended: AbortSignal): Ending {
  if (reason === 'done') return 'ok';
  if (ended.aborted) throw ended.reason;
  const words = visibleText(error?.message ?? detail);
  if (error instanceof ModelError && (error.kind === 'auth' || error.kind === 'unavailable'))
    throw new CliError(error.kind === 'auth' ? 'login' : 'unreachable', words);
  throw new CliError('failed', words, {
    hint: reason === 'rounds' || reason === 'tokens' ? `--${reason} NUMBER gives it more.` : undefined,
  });
}

const HELP = 'Type your words. /tools lists the tools, /exit or Ctrl-D ends, Ctrl-C stops an answer.';

async function interactive(conversation: Conversation, context: CommandContext): Promise<Ending> {
  const { output } = context;
  output.note(HELP);
  for (;;) {
    const words = await nextWords(context);
    if (words === undefined || words === '/exit') break;
    if (words === '/help') output.note(HELP);
    else if (words === '/tools') conversation.listTools();
    else if (words !== '') await oneTurn(conversation, words, context);
  }
  if (conversation.id !== undefined) output.note(`crosspoint chat … --resume ${conversation.id} goes on with it.`);
  return 'ok';
}

/** The line that the person types; `undefined` on Ctrl-D. */
async function nextWords({ io, signal }: CommandContext): Promise<string | undefined> {
  const dialog = new Dialog(io, signal);
  try {
    return await dialog.ask('>');
  } catch (error) {
    if (error instanceof LeftError) return undefined;
    throw error;
  } finally {
    dialog.close();
  }
}

/** One turn, which Ctrl-C stops without ending the conversation. */
async function oneTurn(conversation: Conversation, words: string, context: CommandContext): Promise<void> {
  const stop = new AbortController();
  const release = context.onInterrupt(() => stop.abort(new Error('You stopped the answer.')));
  try {
    const { reason, detail, error } = await conversation.turn(words, AbortSignal.any([context.signal, stop.signal]));
    context.signal.throwIfAborted();
    if (reason !== 'done') context.output.note(visibleText(error?.message ?? detail));
  } finally {
    release();
  }
}
