import { setMaxListeners } from 'node:events';
import type { CatalogueTool } from '../catalogue/catalogue.ts';
import { toAnthropicTools } from '../catalogue/exports/tool-formats.ts';
import type { ModelMessage, ModelTool } from '../models/model.ts';
import { asError, atOnce, attempt, orAborted } from '../values/guard.ts';
import type { JsonObject } from '../values/json.ts';
import { answerTokens, checkBudget, keptBudget } from './budget.ts';
import { chosenModel, type ChosenModel } from './chosen-model.ts';
import { EventQueue } from './event-queue.ts';
import { Journal, RunTakenError, type RunEntry } from './journal.ts';
import { askModel } from './model-turn.ts';
import { READ_RESULT_TOOL } from './read-result.ts';
import { words } from './result-text.ts';
import type { AgentSettings } from './settings.ts';
import { RunState } from './run-state.ts';
import { RunStop } from './run-stop.ts';
import { inSpan } from './spans.ts';
import type { AgentPort, AgentView, ResumeOptions, Run, RunEvent, RunOptions, RunResult } from './run.ts';
import { tellQuestions } from './told-questions.ts';
import { ToolCalls } from './tool-calls.ts';

/** How a run begins: with words, or from its journal. */
export type RunStart =
  | { readonly type: 'new'; readonly messages: readonly ModelMessage[]; readonly options: RunOptions }
  | { readonly type: 'resume'; readonly messages: readonly ModelMessage[]; readonly options: ResumeOptions };

const MOST_TAKEOVERS = 5;
const GO_ON: ModelMessage = {
  role: 'user',
  content: [words('Your answer was cut off. Go on exactly where it ended.')],
};

/** The tools of one round, and the model that they go to. */
interface Round extends ChosenModel {
  readonly shown: readonly CatalogueTool[];
  readonly tools: readonly ModelTool[];
}

/**
 * One run: the model is asked, its tools are called, their results go back, until it wants no more. Each step is written to the journal before
 * the next one is taken; the state is made of what was written, so that a run that is resumed goes on where the journal ends.
 */
export class AgentRun implements Run {
  readonly id: string;
  readonly result: Promise<RunResult>;
  readonly #port: AgentPort;
  readonly #settings: AgentSettings;
  readonly #journal: Journal;
  readonly #state = new RunState();
  readonly #events = new EventQueue();
  readonly #stop = new AbortController();
  /** Counts the time from here on; `state.ms` has the time of earlier processes. */
  #startedAt = performance.now();
  #msBefore = 0;
  /** Set once the run is known to be there and to be ours: only then its end is written down. */
  #isOurs = false;

  constructor(id: string, start: RunStart, port: AgentPort, settings: AgentSettings) {
    this.id = id;
    this.#port = port;
    this.#settings = settings;
    this.#journal = new Journal(port.store, id, settings.keepMs);
    // Every call that runs listens to it, and an answer may have many.
    setMaxListeners(0, this.#stop.signal);
    this.result = this.#live(start);
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    return this.#events[Symbol.asyncIterator]();
  }

  cancel(reason: string = 'The run was cancelled.'): void {
    this.#stop.abort(new RunStop('cancelled', reason));
  }

  async #live(start: RunStart): Promise<RunResult> {
    const { signal } = start.options;
    const onabort = (): void => this.cancel(asError(signal?.reason).message);
    if (signal?.aborted === true) onabort();
    else signal?.addEventListener('abort', onabort, { once: true });
    let error: Error;
    try {
      const ended = await this.#opened(start);
      if (ended !== undefined) return this.#end(ended);
      const isResumed = start.type === 'resume';
      error = await inSpan(
        this.#port.host,
        'run',
        { name: this.id, model: this.#state.model, isResumed },
        async (span) => {
          const cause = await this.#work(isResumed);
          span.set({ reason: stopOf(cause).reason, rounds: this.#state.rounds });
          return cause;
        },
      );
    } catch (thrown) {
      error = asError(thrown);
    } finally {
      signal?.removeEventListener('abort', onabort);
    }
    return this.#end(await this.#endedBy(error));
  }

  /** Begins or takes over the journal. A run that has nothing left to do gives its result. */
  async #opened({ type, messages, options }: RunStart): Promise<RunResult | undefined> {
    const state = this.#state;
    for (const entry of await this.#journal.read()) state.apply(entry);
    if (type === 'new') {
      if (state.model !== '')
        throw new TypeError(`There is a run "${this.id}" already: resume it, or take another id.`);
      const { info } = await this.#chosen(options.model ?? this.#settings.model);
      const { system = this.#settings.system, conversation = this.id } = options;
      const budget = keptBudget(this.#settings.budget, options.budget);
      await this.#record({ type: 'begun', version: 1, model: info.name, system, conversation, budget, messages });
    } else {
      if (state.model === '')
        throw new TypeError(`There is no run "${this.id}": it was never begun, or is not kept any more.`);
      const isOver = state.ended?.reason === 'done' || state.ended?.reason === 'refused';
      if (isOver && messages.length === 0 && state.ended !== undefined) return this.#result(state.ended);
      await this.#takeOver(messages, options);
    }
    this.#isOurs = true;
    this.#msBefore = state.ms;
    return undefined;
  }

  /** Writes that the run goes on here. Steps that another process takes meanwhile are read first. */
  async #takeOver(messages: readonly ModelMessage[], options: ResumeOptions): Promise<void> {
    const state = this.#state;
    for (let tried = 0; ; tried += 1) {
      const { info } = await this.#chosen(options.model ?? state.model);
      const isCut = state.pending().length === 0 && state.lastAnswer?.stopReason === 'max-tokens' && state.isAnswered;
      const said = messages.length === 0 && isCut ? [GO_ON] : messages;
      const budget = keptBudget(state.budget, options.budget);
      try {
        await this.#record({ type: 'resumed', model: info.name, budget, messages: said });
        break;
      } catch (error) {
        if (!(error instanceof RunTakenError) || tried >= MOST_TAKEOVERS) throw error;
        for (const entry of await this.#journal.read()) state.apply(entry);
      }
    }
    for (const { result } of state.uses)
      if (result?.server !== undefined) this.#port.influenced(state.conversation, result.server);
  }

  /** Works until something ends the run, and gives that. */
  async #work(isResumed: boolean): Promise<Error> {
    const state = this.#state;
    const view = this.#view();
    const calls = new ToolCalls({
      port: this.#port,
      state,
      journal: this.#journal,
      view,
      signal: this.#stop.signal,
      maxCharacters: this.#settings.maxResultCharacters,
      goesOnAfterMs: this.#settings.goesOnAfterMs,
      record: (entry) => this.#record(entry),
      emit: (event) => this.#events.push(event),
      fail: (error) => this.#stop.abort(error),
    });
    const untell = tellQuestions(this.#port.host.inbox, calls.active, (event) => this.#events.push(event));
    const timer = this.#timeLimit();
    this.#events.push({ type: 'begin', id: this.id, model: state.model, isResumed });
    this.#audit('begun', { model: state.model, isResumed });
    try {
      await this.#settledServers();
      if (state.running().length > 0) {
        const { shown, info } = await this.#round(view);
        calls.again(state.running(), shown, info);
      }
      for (;;) await this.#step(view, calls);
    } catch (error) {
      const cause = this.#stop.signal.aborted ? asError(this.#stop.signal.reason) : asError(error);
      // Calls that still run are cancelled, and written down as such.
      if (!this.#stop.signal.aborted) this.#stop.abort(cause);
      await calls.settled();
      return cause;
    } finally {
      clearTimeout(timer);
      untell();
    }
  }

  /** Calls the tools that the model has named, or asks the model. Throws `RunStop` at the end. */
  async #step(view: AgentView, calls: ToolCalls): Promise<void> {
    const state = this.#state;
    this.#stop.signal.throwIfAborted();
    const round = await this.#round(view);
    const pending = state.pending();
    if (pending.length > 0) {
      const running = await calls.round(pending, round.shown, round.info);
      this.#stop.signal.throwIfAborted();
      return this.#deliver(
        pending.map(({ number }) => number),
        running,
      );
    }
    if (state.running().some(({ result }) => result !== undefined)) return this.#deliver([], []);
    if (state.isAnswered && state.lastAnswer?.stopReason !== 'paused') {
      if (state.running().length === 0) {
        // An answer that was cut because the budget is used up ends with that.
        if (state.lastAnswer?.stopReason === 'max-tokens' && answerTokens(state, 1) <= 0)
          checkBudget(state, round.info);
        throw endOfAnswer(state);
      }
      await orAborted(calls.nextLate(), this.#stop.signal);
      return;
    }
    checkBudget(state, round.info);
    await askModel(
      { ...round, state, settings: this.#settings, signal: this.#stop.signal },
      {
        host: this.#port.host,
        ms: () => this.#ms(),
        record: (entry) => this.#record(entry),
        emit: (event) => this.#events.push(event),
      },
    );
    const { stopReason = '', usage = {} } = state.lastAnswer ?? {};
    this.#audit('answer', { model: round.info.name, stopReason, usage });
  }

  /** Puts results into a message to the model: those of `uses`, and those of earlier calls that have come in. */
  async #deliver(uses: readonly number[], running: readonly number[]): Promise<void> {
    const late = this.#state.running().filter(({ result }) => result !== undefined);
    await this.#record({ type: 'delivered', uses, running, late: late.map(({ number }) => number) });
  }

  async #round(view: AgentView): Promise<Round> {
    const chosen = await this.#chosen(this.#state.model);
    const seen = await orAborted(Promise.resolve(view.tools()), this.#stop.signal);
    if (!Array.isArray(seen)) throw new TypeError('The view of a run gave no list of tools.');
    const isCut = this.#state.uses.some(
      ({ number, result }) => result?.whole !== undefined || this.#state.cutOf(number),
    );
    const shown = isCut ? [...seen, READ_RESULT_TOOL] : seen;
    const tools = toAnthropicTools(shown).tools.map(({ name, description, input_schema }) => ({
      name,
      ...(description !== undefined && { description }),
      inputSchema: input_schema as JsonObject,
    }));
    return { ...chosen, shown, tools };
  }

  #chosen(name: string | undefined): Promise<ChosenModel> {
    return orAborted(chosenModel(this.#settings.models, name), this.#stop.signal);
  }

  #view(): AgentView {
    const { host } = this.#port;
    return atOnce(this.#settings.view?.(host, this.#state.view)) ?? { tools: () => host.catalogue.tools() };
  }

  /** Servers that take longer join the run when they are there. */
  async #settledServers(): Promise<void> {
    const late = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#settings.settleMs)]);
    await this.#port.host.settled(late).catch(() => {});
    this.#stop.signal.throwIfAborted();
  }

  #timeLimit(): NodeJS.Timeout | undefined {
    const { ms } = this.#state.budget;
    if (typeof ms !== 'number') return undefined;
    const text = `The run has taken its ${ms} ms.`;
    const left = Math.min(2 ** 31 - 1, Math.max(0, ms - this.#ms()));
    return setTimeout(() => this.#stop.abort(new RunStop('time', text)), left);
  }

  #ms(): number {
    return Math.round(this.#msBefore + performance.now() - this.#startedAt);
  }

  async #record(entry: RunEntry): Promise<void> {
    await this.#journal.append(entry);
    this.#state.apply(entry);
  }

  async #endedBy(error: Error): Promise<RunResult> {
    const stop = stopOf(error);
    const ended = { reason: stop.reason, detail: stop.message };
    if (this.#isOurs && stop.reason !== 'taken-over')
      await this.#record({ type: 'ended', ...ended, ms: this.#ms() }).catch(() => {});
    this.#audit('ended', { ...ended, rounds: this.#state.rounds });
    return this.#result(ended, stop.reason === 'failed' ? error : undefined);
  }

  #result(ended: Pick<RunResult, 'reason' | 'detail'>, error?: Error): RunResult {
    const { usage, rounds } = this.#state;
    return {
      id: this.id,
      reason: ended.reason,
      detail: ended.detail,
      ...(error !== undefined && { error }),
      text: this.#state.text(),
      messages: this.#state.messages(),
      usage,
      rounds,
    };
  }

  #end(result: RunResult): RunResult {
    this.#events.push({ type: 'end', result });
    this.#events.close();
    return result;
  }

  #audit(step: string, details: JsonObject): void {
    attempt(() => this.#port.host.audit.write({ type: 'run', details: { run: this.id, step, ...details } }));
  }
}

function stopOf(error: Error): RunStop {
  if (error instanceof RunStop) return error;
  return new RunStop(error instanceof RunTakenError ? 'taken-over' : 'failed', error.message);
}

/** The end that the last answer of the model means. */
function endOfAnswer({ lastAnswer, ms }: RunState): RunStop {
  const { stopReason, stopDetail } = lastAnswer ?? {};
  const said = stopDetail === undefined ? '' : ` (${stopDetail})`;
  if (stopReason === 'refused') return new RunStop('refused', `The model refused to answer${said}.`);
  if (stopReason === 'max-tokens')
    return new RunStop('max-tokens', `The answer was cut at its limit of tokens${said}. Resume the run to go on.`);
  if (stopReason === 'other') return new RunStop('failed', `The model stopped for a reason that is not known${said}.`);
  return new RunStop('done', `The model has answered, after ${ms} ms.`);
}
