import type { ModelBlock, ModelMessage, ModelUsage, ToolUseBlock } from '../models/model.ts';
import { addUsage, NO_COST } from './budget.ts';
import type { KeptBudget, KeptResult, RunEntry } from './journal.ts';
import { cutContent, words } from './result-text.ts';
import type { RunEndReason } from './run.ts';

/** A use of a tool, as far as it has come. */
export interface Use {
  /** From 1, in the order in which the model named them. */
  readonly number: number;
  readonly block: ToolUseBlock;
  /** Its call was about to be sent. Whether it was, is not known where there is no result. */
  sent?: { readonly call: string; readonly server: string };
  result?: KeptResult;
  /** The model was told that it goes on. */
  isRunning: boolean;
  /** The result, or that it goes on, is in a message. */
  isDelivered: boolean;
}

type Turn =
  | { readonly type: 'message'; readonly message: ModelMessage }
  | Extract<RunEntry, { readonly type: 'delivered' }>;

export const refOf = (use: number): string => `r${use}`;

/** A run as its journal tells it. Everything that it holds comes from entries, so that a run that is read from a store is the one that was written. */
export class RunState {
  model = '';
  system = '';
  conversation = '';
  budget: KeptBudget = {};
  usage: ModelUsage = NO_COST;
  rounds = 0;
  /** Milliseconds that the run has taken, up to the last answer. */
  ms = 0;
  /** The state of the view, as it was kept last. */
  view: KeptResult['view'];
  ended: { readonly reason: RunEndReason; readonly detail: string } | undefined;
  /** Whether the last word is the model's: nothing was said to it since. */
  isAnswered = false;
  lastAnswer: Extract<RunEntry, { readonly type: 'answer' }> | undefined;
  readonly uses: Use[] = [];
  readonly #turns: Turn[] = [];
  /** Words that were said while uses were open: providers want the results of an answer right behind it. */
  #saidMeanwhile: readonly ModelMessage[] = [];
  readonly #cuts = new Map<number, number>();

  apply(entry: RunEntry): void {
    switch (entry.type) {
      case 'begun':
        ({ model: this.model, system: this.system, conversation: this.conversation, budget: this.budget } = entry);
        return this.#say(entry.messages);
      case 'resumed':
        ({ model: this.model, budget: this.budget } = entry);
        this.ended = undefined;
        return this.#say(entry.messages);
      case 'answer':
        return this.#answered(entry);
      case 'spent':
        this.usage = addUsage(this.usage, entry.usage);
        return;
      case 'sent':
        return this.#change(entry.use, { sent: { call: entry.call, server: entry.server } });
      case 'result':
        this.view = entry.view ?? this.view;
        return this.#change(entry.use, { result: entry });
      case 'delivered':
        for (const number of entry.uses)
          this.#change(number, { isDelivered: true, isRunning: entry.running.includes(number) });
        for (const number of entry.late) this.#change(number, { isRunning: false });
        this.#turns.push(entry);
        this.isAnswered = false;
        return this.#say([]);
      case 'shortened':
        for (const { use, characters } of entry.cuts) this.#cuts.set(use, characters);
        return;
      case 'ended':
        this.ended = entry;
        this.ms = entry.ms;
    }
  }

  /** The uses of the last answer that the model has heard nothing of. */
  pending(): readonly Use[] {
    return this.uses.filter(({ isDelivered }) => !isDelivered);
  }

  /** The uses that went on. */
  running(): readonly Use[] {
    return this.uses.filter(({ isRunning }) => isRunning);
  }

  /** The characters that a result may have, where it was shortened. */
  cutOf(use: number): number | undefined {
    return this.#cuts.get(use);
  }

  /** The uses whose results are in messages, the oldest message first. */
  delivered(): readonly (readonly number[])[] {
    return this.#turns.flatMap((turn) =>
      turn.type === 'delivered' ? [[...turn.uses.filter((use) => !turn.running.includes(use)), ...turn.late]] : [],
    );
  }

  /** The conversation as it goes to the model. */
  messages(): ModelMessage[] {
    return this.#turns.map((turn) =>
      turn.type === 'message' ? turn.message : { role: 'user', content: this.#delivery(turn) },
    );
  }

  /** The words of the last answer. */
  text(): string {
    const texts = (this.lastAnswer?.content ?? []).filter((block) => block.type === 'text').map(({ text }) => text);
    return texts.join('');
  }

  #say(messages: readonly ModelMessage[]): void {
    const said = [...this.#saidMeanwhile, ...messages];
    const isWaiting = this.pending().length > 0;
    this.#saidMeanwhile = isWaiting ? said : [];
    if (isWaiting) return;
    for (const message of said) this.#turns.push({ type: 'message', message });
    if (said.length > 0) this.isAnswered = false;
  }

  #answered(entry: Extract<RunEntry, { readonly type: 'answer' }>): void {
    this.rounds += 1;
    this.ms = entry.ms;
    this.usage = addUsage(this.usage, entry.usage);
    this.lastAnswer = entry;
    // Tools of a refused answer are not called, and a use without a result is no conversation that a provider takes.
    const isRefused = entry.stopReason === 'refused';
    const content = isRefused ? entry.content.filter(({ type }) => type !== 'tool-use') : entry.content;
    if (content.length > 0) this.#say([{ role: 'assistant', content }]);
    this.isAnswered = true;
    for (const block of content)
      if (block.type === 'tool-use')
        this.uses.push({ number: this.uses.length + 1, block, isRunning: false, isDelivered: false });
  }

  #change(number: number, change: Partial<Use>): void {
    const use = this.uses[number - 1];
    if (use !== undefined) Object.assign(use, change);
  }

  #delivery({ uses, running, late }: Extract<RunEntry, { readonly type: 'delivered' }>): ModelBlock[] {
    return [
      ...uses.map((number): ModelBlock => {
        const { block, result } = this.uses[number - 1] ?? {};
        const isRunning = running.includes(number);
        return {
          type: 'tool-result',
          toolUseId: block?.id ?? '',
          content: isRunning ? [words(goesOnWords(number))] : this.content(number),
          ...(!isRunning && result?.isError === true && { isError: true }),
        };
      }),
      ...late.flatMap((number) => [words(lateWords(number, this.uses[number - 1])), ...this.content(number)]),
    ];
  }

  /** A result as the model sees it now. */
  content(number: number): KeptResult['content'] {
    const result = this.uses[number - 1]?.result;
    if (result === undefined) return [];
    const characters = this.#cuts.get(number);
    return characters === undefined
      ? result.content
      : cutContent(result.content, { ref: refOf(number), characters, whole: result.whole, isShort: true });
  }
}

function goesOnWords(number: number): string {
  return `The call still runs. Its result comes in a later message, as ${refOf(number)}. Go on with other work, or end your turn to wait for it; do not call it again.`;
}

function lateWords(number: number, use: Use | undefined): string {
  const outcome = use?.result?.isError === true ? 'has failed' : 'has ended';
  return `The call ${refOf(number)} of ${use?.block.name ?? 'a tool'}, which went on, ${outcome}. Its result:`;
}
