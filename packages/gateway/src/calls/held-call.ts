import { ProtocolError, isProtocolError, type Outcome } from 'crosspoint/client';
import { exchange, pagesDone } from 'crosspoint/client/relaying';
import type { Slot } from '../upstream/upstream-sessions.ts';
import { isObject } from '../words/meta.ts';
import { ASKED_BY, type Ask } from '../matching/ask.ts';
import type { OpenCall, Question } from '../matching/open-call.ts';
import { newLightController } from '../values/light-controller.ts';

type JsonObject = Record<string, unknown>;
type RequestId = string | number;
type Progress = { progress: number; total?: number; message?: string };
type Settled = { readonly outcome: Outcome } | { readonly error: unknown };

/** The request downstream that a held call speaks through, while there is one. */
export interface Attached {
  progress(progress: Progress): void;
  hear(notification: { method: string; params?: JsonObject }): void;
}

export interface HeldRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly wantsProgress: boolean;
}

/** A call that an earlier process sent: where its stream goes on, and what had been asked when that process ended. */
export interface Earlier {
  readonly resumeAfter: string;
  readonly open: Readonly<Record<string, Ask>>;
  readonly answered: readonly Ask[];
}

interface OpenQuestion {
  readonly ask: Ask;
  readonly resumeAfter: string | undefined;
  readonly closed: AbortSignal;
  answer(answer: JsonObject): void;
  refuse(error: Error): void;
}

/** Two questions asked at once come as two messages: a round is closed when this many milliseconds brought no further one. */
const ROUND_MS = 5;
/** How often one call may send its user to pages first. */
const MOST_PAGE_ROUNDS = 3;

/**
 * A request to a server with a handshake that may outlive the requests of its client: it keeps its open questions and its outcome until they are fetched.
 */
export class HeldCall implements OpenCall {
  readonly ids: RequestId[] = [];
  readonly taskId: undefined = undefined;
  readonly mayBeAsked = true;
  readonly request: HeldRequest;
  readonly slot: Slot;
  readonly #earlier: Earlier | undefined;
  readonly #questions = new Map<string, OpenQuestion>();
  /** Answers to questions that are not here yet: the server repeats them to a process that goes on with a call. */
  readonly #early = new Map<string, JsonObject>();
  readonly #answered: Ask[] = [];
  readonly #abort: AbortController = newLightController();
  #attached: Attached | undefined;
  #lastProgress: Progress | undefined;
  #settled: Settled | undefined;
  #asked = 0;
  #pageRounds = 0;
  #wake: (() => void) | undefined;

  constructor(slot: Slot, request: HeldRequest, earlier?: Earlier) {
    this.slot = slot;
    this.request = request;
    this.#earlier = earlier;
    // Keys of earlier questions are not used again.
    if (earlier) this.#asked = Object.keys(earlier.open).length + earlier.answered.length;
  }

  /** Sends the request, or goes on reading its stream. */
  start(): void {
    this.slot.session.calls.add(this);
    void this.#exchange(this.#earlier?.resumeAfter);
  }

  /** Lets the call speak through a request of its client, or through none. The last progress that nobody heard is told first. */
  attach(attached: Attached | undefined): void {
    this.#attached = attached;
    if (attached === undefined || this.#lastProgress === undefined) return;
    attached.progress(this.#lastProgress);
    this.#lastProgress = undefined;
  }

  get isOver(): boolean {
    return this.#settled !== undefined;
  }

  /** Facts that a later process needs to go on with the call; `undefined` where the server's stream cannot be resumed. */
  get earlier(): Earlier | undefined {
    const [first] = this.#questions.values();
    return first?.resumeAfter === undefined
      ? undefined
      : { resumeAfter: first.resumeAfter, open: this.questions, answered: this.#answered };
  }

  /** The open questions, by key. */
  get questions(): Readonly<Record<string, Ask>> {
    return Object.fromEntries([...this.#questions].map(([key, { ask }]) => [key, ask]));
  }

  /** Waits for the end of the call, or for questions. The end wins. Rejects with the error of the call. */
  async turn(): Promise<Outcome | undefined> {
    for (;;) {
      if (this.#settled) {
        if ('error' in this.#settled) throw this.#settled.error;
        return this.#settled.outcome;
      }
      if (this.#questions.size === 0) await this.#change();
      else if (!(await this.#changeWithin(ROUND_MS))) return undefined;
    }
  }

  /** Gives the server the answers that the client brought. Unknown keys are ignored: their questions are withdrawn. */
  answer(answers: JsonObject): void {
    for (const [key, answer] of Object.entries(answers)) {
      if (!isObject(answer)) continue;
      const question = this.#questions.get(key);
      if (question) question.answer(answer);
      else if (this.#earlier !== undefined && Object.hasOwn(this.#earlier.open, key)) this.#early.set(key, answer);
    }
  }

  /** Aborts when a question needs no answer any more: it has one, it was withdrawn, or its call has ended. */
  closedOf(key: string): AbortSignal | undefined {
    return this.#questions.get(key)?.closed;
  }

  /** Tells the server that a question cannot be asked. */
  refuse(key: string, error: Error): void {
    this.#questions.get(key)?.refuse(error);
  }

  /** Ends the call at the server. */
  cancel(reason: string): void {
    this.#abort.abort(new ProtocolError('other', reason));
  }

  // ---- OpenCall

  ask({ method, params, signal, resumeAfter }: Question): Promise<JsonObject> {
    if (!Object.hasOwn(ASKED_BY, method))
      return Promise.reject(
        new ProtocolError('method-not-found', `A client without a session cannot be sent ${method}.`),
      );
    const ask = { method, params };
    const key = this.#keyFor(ask);
    // Answered before the process ended: the server repeats it, and has the answer.
    if (key === undefined) return new Promise(() => {});
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      const close = (): void => {
        this.#questions.delete(key);
        over.abort();
        signal.removeEventListener('abort', withdrawn);
        this.#tellChange();
      };
      const withdrawn = (): void => {
        close();
        reject(new ProtocolError('other', 'The question was withdrawn.'));
      };
      const answer = (given: JsonObject): void => {
        this.#answered.push(ask);
        close();
        resolve(given);
      };
      const refuse = (error: Error): void => {
        close();
        reject(error);
      };
      this.#questions.set(key, { ask, resumeAfter, closed: over.signal, answer, refuse });
      signal.addEventListener('abort', withdrawn, { once: true });
      const early = this.#early.get(key);
      if (early) answer(early);
      this.#tellChange();
    });
  }

  hear(notification: { method: string; params?: JsonObject }): void {
    this.#attached?.hear(notification);
  }

  // ---- inside

  /** The key of a question: that of an earlier process where the server repeats one. `undefined` for one that was answered then. */
  #keyFor(ask: Ask): string | undefined {
    const isSame = (other: Ask): boolean => JSON.stringify(other) === JSON.stringify(ask);
    const { open = {}, answered = [] } = this.#earlier ?? {};
    const known = Object.entries(open).find(([key, other]) => !this.#questions.has(key) && isSame(other));
    if (known && !this.#answered.some(isSame)) return known[0];
    if (known === undefined && answered.some(isSame)) return undefined;
    this.#asked += 1;
    return `q${this.#asked}`;
  }

  async #exchange(resumptionToken?: string): Promise<void> {
    const { method, params, wantsProgress } = this.request;
    const options = {
      signal: this.#abort.signal,
      timeout: 0,
      maxTotalTimeout: 0,
      onsent: (id: RequestId) => void this.ids.push(id),
      ...(wantsProgress && { onprogress: (progress: Progress) => this.#progressed(progress) }),
      ...(resumptionToken !== undefined && { resumptionToken }),
    };
    try {
      this.#settle({ outcome: await exchange(this.slot.session.client, { method, params }, options) });
    } catch (error) {
      const pages = pagesOf(error);
      if (pages === undefined || this.#pageRounds >= MOST_PAGE_ROUNDS) this.#settle({ error });
      else void this.#open(pages, error as ProtocolError);
    }
  }

  /**
   * The server wants pages to be opened first. They become questions of the call, which is sent again once the server reports them finished: the client's answer says
   * only that the user agreed.
   */
  async #open(pages: readonly (JsonObject & { elicitationId: string })[], error: ProtocolError): Promise<void> {
    this.#pageRounds += 1;
    const { signal } = this.#abort;
    const done = pagesDone(
      this.slot.session.client,
      pages.map(({ elicitationId }) => elicitationId),
      { signal },
    );
    const facts = { signal, resumeAfter: undefined, reportProgress: () => {} };
    const asked = pages.map((params) => this.ask({ method: 'elicitation/create', params, ...facts }));
    try {
      const answers = await Promise.all(asked);
      const isAgreed = answers.every(({ action }) => action === 'accept');
      if (isAgreed && (await done)) return await this.#exchange();
      const why = isAgreed ? 'was not finished in time' : 'was declined';
      this.#settle({
        error: new ProtocolError('internal', `A page that the server needs ${why}: ${error.message}`, error.data),
      });
    } catch {
      // The client cannot be asked: it gets the error of the server, which names the capability that is missing.
      this.#settle({ error });
    }
  }

  #progressed(progress: Progress): void {
    if (this.#attached) this.#attached.progress(progress);
    else this.#lastProgress = progress;
  }

  #settle(settled: Settled): void {
    if (this.#settled) return;
    this.#settled = settled;
    const { session } = this.slot;
    session.calls.delete(this);
    session.level.release(this);
    this.slot.release();
    for (const question of this.#questions.values())
      question.refuse(new ProtocolError('invalid-request', 'The call of this question has ended.'));
    this.#tellChange();
  }

  #tellChange(): void {
    this.#wake?.();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** Whether something changed within so many milliseconds. */
  #changeWithin(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}

/** The pages that an error of the server names, each with its id. */
function pagesOf(error: unknown): readonly (JsonObject & { elicitationId: string })[] | undefined {
  if (!isProtocolError(error) || error.kind !== 'url-elicitation-required' || !isObject(error.data)) return undefined;
  const { elicitations } = error.data;
  if (!Array.isArray(elicitations) || elicitations.length === 0) return undefined;
  const pages = elicitations.filter(
    (page): page is JsonObject & { elicitationId: string } =>
      isObject(page) && page['mode'] === 'url' && typeof page['elicitationId'] === 'string',
  );
  return pages.length === elicitations.length ? pages : undefined;
}
