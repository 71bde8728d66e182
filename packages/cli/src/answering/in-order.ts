import type { AnswerTo, InboxItem, QuestionKind } from '@crosspoint/host';
import type { Answerer } from './answerer.ts';

export interface AnsweringWays {
  readonly answerer: Answerer;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** Called with the answer, before it is given: a page that the user agreed to is opened. */
  readonly onanswer: (item: InboxItem, answer: AnswerTo<QuestionKind>) => Promise<void>;
  /** Called for a question that no answerer takes. */
  readonly nobody: (item: InboxItem) => void;
  /** Called where an answer could not be found or given. */
  readonly failed: (error: unknown) => void;
}

type Give = (item: InboxItem, answer: AnswerTo<QuestionKind>) => Promise<unknown>;

/** Answers questions one after the other. One that is over meanwhile is left. */
export class AnswersInOrder {
  readonly #ways: AnsweringWays;
  readonly #open = new Map<string, AbortController>();
  #last = Promise.resolve();

  constructor(ways: AnsweringWays) {
    this.#ways = ways;
  }

  /** A question was asked; `give` gives its answer to the one who asks. A question that is told twice is asked once. */
  asked(item: InboxItem, give: Give): void {
    if (this.#open.has(item.id)) return;
    const over = new AbortController();
    this.#open.set(item.id, over);
    this.#last = this.#last
      .then(() => this.#answer(item, give, over.signal))
      .catch((error: unknown) => {
        // One that is over was answered by another command at the same time, or withdrawn.
        if (!over.signal.aborted && !this.#ways.signal.aborted) this.#ways.failed(error);
      })
      .finally(() => void this.#open.delete(item.id));
  }

  /** A question was answered, withdrawn or given up. */
  over(id: string): void {
    this.#open.get(id)?.abort(new Error('The question was withdrawn.'));
  }

  async #answer(item: InboxItem, give: Give, over: AbortSignal): Promise<void> {
    const { answerer, signal, onanswer, nobody } = this.#ways;
    if (over.aborted) return;
    const answer = await answerer(item, AbortSignal.any([signal, over]));
    if (over.aborted) return;
    if (answer === undefined) return nobody(item);
    await onanswer(item, answer);
    await give(item, answer);
  }
}
