import { ProtocolError, type Outcome } from 'crosspoint/client';
import { exchange } from 'crosspoint/client/relaying';
import type { Slot } from '../upstream/upstream-sessions.ts';
import type { Ask } from './ask.ts';
import type { OpenCall, Question } from './open-call.ts';

type JsonObject = Record<string, unknown>;
type RequestId = string | number;
type Progress = { progress: number; total?: number; message?: string };

/** The request downstream that a held call speaks through, while there is one. */
export interface Attached {
  progress(progress: Progress): void;
  hear(notification: { method: string; params?: JsonObject }): void;
}

export interface HeldRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly wantsProgress: boolean;
  /** Where the answer is read from, for a call that an earlier process sent. */
  readonly resumptionToken?: string;
}

interface OpenQuestion {
  readonly question: Question;
  answer(answer: JsonObject): void;
  refuse(error: Error): void;
}

/** Two questions asked at once come as two messages: a round is closed when this many milliseconds brought no further one. */
const ROUND_MS = 5;

/**
 * A request to a server with a handshake that may outlive the requests of its client: it keeps its open questions and its outcome until they are fetched.
 */
export class HeldCall implements OpenCall {
  readonly ids: Set<RequestId> = new Set();
  readonly taskId: undefined = undefined;
  readonly mayBeAsked = true;
  readonly request: HeldRequest;
  readonly slot: Slot;
  readonly #questions = new Map<string, OpenQuestion>();
  readonly #abort = new AbortController();
  #attached: Attached | undefined;
  #lastProgress: Progress | undefined;
  #settled: { readonly outcome: Outcome } | { readonly error: unknown } | undefined;
  #asked = 0;
  #wake: (() => void) | undefined;

  constructor(slot: Slot, request: HeldRequest) {
    this.slot = slot;
    this.request = request;
  }

  /** Sends the request. */
  start(): void {
    const { session } = this.slot;
    const { method, params, wantsProgress, resumptionToken } = this.request;
    session.calls.add(this);
    exchange(
      session.client,
      { method, params },
      {
        signal: this.#abort.signal,
        timeout: 0,
        maxTotalTimeout: 0,
        onsent: (id) => this.ids.add(id),
        ...(wantsProgress && { onprogress: (progress: Progress) => this.#progressed(progress) }),
        ...(resumptionToken !== undefined && { resumptionToken }),
      },
    ).then(
      (outcome) => this.#settle({ outcome }),
      (error: unknown) => this.#settle({ error }),
    );
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

  /** Whether the server reads its questions' answers from a stream that can be resumed, and from where. */
  get resumeAfter(): string | undefined {
    return [...this.#questions.values()][0]?.question.resumeAfter;
  }

  /** The open questions, by key. */
  get questions(): Readonly<Record<string, Ask>> {
    return Object.fromEntries(
      [...this.#questions].map(([key, { question }]) => [key, { method: question.method, params: question.params }]),
    );
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
    for (const [key, answer] of Object.entries(answers))
      if (typeof answer === 'object' && answer !== null) this.#questions.get(key)?.answer(answer as JsonObject);
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

  ask(question: Question): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      this.#asked += 1;
      const key = `q${this.#asked}`;
      const close = (): void => {
        this.#questions.delete(key);
        question.signal.removeEventListener('abort', withdrawn);
        this.#tellChange();
      };
      const withdrawn = (): void => {
        close();
        reject(new ProtocolError('other', 'The question was withdrawn.'));
      };
      this.#questions.set(key, {
        question,
        answer: (answer) => {
          close();
          resolve(answer);
        },
        refuse: (error) => {
          close();
          reject(error);
        },
      });
      question.signal.addEventListener('abort', withdrawn, { once: true });
      this.#tellChange();
    });
  }

  hear(notification: { method: string; params?: JsonObject }): void {
    this.#attached?.hear(notification);
  }

  // ---- inside

  #progressed(progress: Progress): void {
    if (this.#attached) this.#attached.progress(progress);
    else this.#lastProgress = progress;
  }

  #settle(settled: { readonly outcome: Outcome } | { readonly error: unknown }): void {
    this.#settled = settled;
    this.slot.session.calls.delete(this);
    this.slot.release();
    for (const { refuse } of [...this.#questions.values()])
      refuse(new ProtocolError('invalid-request', 'The call of this question has ended.'));
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
