import { randomUUID } from 'node:crypto';
import type { AuditWriter } from '../audit/event.ts';
import { asError, attempt } from '../values/guard.ts';
import type { JsonObject } from '../values/json.ts';
import { AnswerError, checkedAnswer } from './answer-check.ts';
import { carefulAnswer } from './careful-answer.ts';
import type { AnswerTo, Asks, AskOptions, InboxItem, Provenance, QuestionKind, Questions } from './item.ts';
import type { Responder } from './responders/responder.ts';

/**
 * A change of the inbox. `asked`: a question waits for people. It ends by being `answered`, `withdrawn` by the one who asked or with the inbox,
 * or `expired`. A question that a responder answers is told as `answered` alone, and one that nobody is asked because a limit
 * of the host refuses it, as `refused` alone.
 */
export type InboxChange =
  | { readonly type: 'asked'; readonly item: InboxItem }
  | {
      readonly type: 'answered';
      readonly item: InboxItem;
      readonly action: string;
      readonly by: 'person' | 'responder';
    }
  | { readonly type: 'withdrawn' | 'expired'; readonly item: InboxItem }
  | { readonly type: 'refused'; readonly item: InboxItem; readonly reason: string };

/** Chooses items of the list; every member that is given must fit. */
export interface InboxFilter {
  readonly kind?: QuestionKind | readonly QuestionKind[];
  readonly server?: string;
  /** The id of the call that the question belongs to. */
  readonly call?: string;
}

export interface InboxOptions {
  /** Milliseconds that a question waits; 10 minutes when absent. */
  readonly timeoutMs?: number;
  /** Most questions that wait at once; 1000 when absent. */
  readonly maxItems?: number;
  /** Most questions of one server that wait at once; 50 when absent. */
  readonly maxPerServer?: number;
  /** Most bytes of one question, as JSON; 1 MB when absent. */
  readonly maxBytes?: number;
  /** Tried in order before a person is asked. */
  readonly responders?: readonly Responder[];
  readonly audit?: AuditWriter;
  /** Told of listeners and responders that fail, and of questions that were refused. */
  readonly onproblem?: (problem: Error) => void;
}

type Ending = 'person' | 'responder' | 'withdrawn' | 'expired' | 'refused' | 'closed';

interface Waiting {
  readonly item: InboxItem;
  /** Whether people see it: no responder answered it. */
  isListed: boolean;
  end(answer: AnswerTo<QuestionKind>): void;
}

const MAX_URL_LENGTH = 8192;
/** The longest time of a timer of the runtime: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Everything that servers and the host itself ask the user, in one list. Each question is answered exactly once: by a responder, by `answer`, or
 * with the most careful answer when its time is over, when it is withdrawn, when too many wait, and when the inbox closes.
 *
 * ```ts
 * const inbox = new Inbox();
 * inbox.watch((change) => {
 *   if (change.type === 'asked') console.log(describeItem(change.item).title);
 * });
 * inbox.answer(inbox.list()[0].id, { action: 'deny' });
 * ```
 */
export class Inbox implements Asks {
  readonly #options: InboxOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<(change: InboxChange) => void>();
  #isClosed = false;

  constructor(options: InboxOptions = {}) {
    this.#options = options;
  }

  ask<K extends QuestionKind>(
    kind: K,
    question: Questions[K]['question'],
    from: Provenance,
    options: AskOptions = {},
  ): Promise<AnswerTo<K>> {
    const askedAt = Date.now();
    const timeoutMs = Math.min(Math.max(0, options.timeoutMs ?? this.#options.timeoutMs ?? 600_000), LONGEST_MS);
    const facts = { id: randomUUID(), kind, askedAt, expiresAt: askedAt + timeoutMs };
    const copy = copied({ question, from });
    const item = { ...facts, ...(copy ?? { question, from }) } as object as InboxItem;
    if (copy !== undefined && options.refused !== undefined)
      return Promise.resolve(this.#refuse(item, options.refused));
    const refused = copy === undefined ? 'It is no JSON.' : this.#refusal(item);
    if (refused !== undefined || options.signal?.aborted === true) {
      const ending = refused === undefined ? 'withdrawn' : this.#isClosed ? 'closed' : 'refused';
      if (ending === 'refused') this.#problem(`A question (${kind}) of ${asker(from)} was refused: ${refused}`);
      const careful = carefulAnswer(kind, refused ?? 'The question was withdrawn.');
      this.#record(item, { ending, answer: careful });
      return Promise.resolve(careful);
    }
    return this.#wait(item, options.signal, timeoutMs);
  }

  /** The questions that wait for a person, the oldest first. */
  list(filter: InboxFilter = {}): readonly InboxItem[] {
    const { kind, server, call } = filter;
    const kinds = kind === undefined ? undefined : typeof kind === 'string' ? [kind] : kind;
    return [...this.#waiting.values()]
      .filter(
        ({ item, isListed }) =>
          isListed &&
          (kinds?.includes(item.kind) ?? true) &&
          (server === undefined || item.from.server === server) &&
          (call === undefined || item.from.call?.id === call),
      )
      .map(({ item }) => item);
  }

  get(id: string): InboxItem | undefined {
    const waiting = this.#waiting.get(id);
    return waiting?.isListed === true ? waiting.item : undefined;
  }

  /**
   * Answers a question. Throws `AnswerError` where no such question waits (`field` is `id`) and where the answer does not fit; the question
   * then goes on waiting.
   */
  answer(id: string, answer: AnswerTo<QuestionKind> | JsonObject): void {
    const waiting = this.#waiting.get(id);
    if (waiting?.isListed !== true)
      throw new AnswerError('id', 'No such question waits: it was answered, withdrawn or given up, or never asked.');
    this.#end(waiting, 'person', checkedAnswer(waiting.item, answer));
  }

  /** Calls `listener` for every change from now on. Returns the function that ends it. */
  watch(listener: (change: InboxChange) => void): () => void {
    // A wrapper of its own, so that a listener that watches twice is told twice and ends one at a time.
    const own = (change: InboxChange): void => listener(change);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Answers everything carefully; questions that come later, too. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.values()) this.#endCarefully(waiting, 'closed', 'The host is closing.');
    this.#listeners.clear();
  }

  #wait(item: InboxItem, signal: AbortSignal | undefined, timeoutMs: number): Promise<AnswerTo<QuestionKind>> {
    return new Promise((resolve) => {
      const withdraw = (): void => this.#endCarefully(waiting, 'withdrawn', 'The question was withdrawn.');
      const timer = setTimeout(() => this.#endCarefully(waiting, 'expired', 'Nobody answered in time.'), timeoutMs);
      const waiting: Waiting = {
        item,
        isListed: false,
        end: (answer) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', withdraw);
          resolve(answer);
        },
      };
      signal?.addEventListener('abort', withdraw, { once: true });
      this.#waiting.set(item.id, waiting);
      this.#write('question', item, { reason: item.from.reason });
      void this.#begin(waiting);
    });
  }

  /** Tries the responders, then shows the question to people. */
  async #begin(waiting: Waiting): Promise<void> {
    for (const responder of this.#options.responders ?? []) {
      const answer = await this.#tried(responder, waiting.item);
      if (!this.#waits(waiting)) return;
      if (answer !== undefined) return this.#end(waiting, 'responder', answer);
    }
    waiting.isListed = true;
    this.#tell({ type: 'asked', item: waiting.item });
  }

  async #tried(responder: Responder, item: InboxItem): Promise<AnswerTo<QuestionKind> | undefined> {
    try {
      const answer = await responder(item);
      return answer === undefined ? undefined : checkedAnswer(item, answer);
    } catch (error) {
      this.#problem(`A responder failed on a question (${item.kind}) of ${asker(item.from)}`, error);
      return undefined;
    }
  }

  /** Refuses a question that a limit of the host stops before anybody is asked. */
  #refuse(item: InboxItem, reason: string): AnswerTo<QuestionKind> {
    const careful = carefulAnswer(item.kind, reason);
    this.#write('question', item, { reason: item.from.reason });
    this.#record(item, { ending: 'refused', answer: careful, reason });
    this.#tell({ type: 'refused', item, reason });
    return careful;
  }

  #waits({ item }: Waiting): boolean {
    return this.#waiting.has(item.id);
  }

  #endCarefully(waiting: Waiting, ending: Ending, why: string): void {
    this.#end(waiting, ending, carefulAnswer(waiting.item.kind, why));
  }

  #end(waiting: Waiting, ending: Ending, answer: AnswerTo<QuestionKind>): void {
    const { item, isListed } = waiting;
    if (!this.#waiting.delete(item.id)) return;
    waiting.end(answer);
    this.#record(item, { ending, answer: answer });
    if (ending === 'person' || ending === 'responder')
      this.#tell({ type: 'answered', item, action: answer.action, by: ending });
    else if (isListed) this.#tell({ type: ending === 'expired' ? 'expired' : 'withdrawn', item });
  }

  /** Why the question cannot wait; `undefined` when it can. */
  #refusal(item: InboxItem): string | undefined {
    const { maxItems = 1000, maxPerServer = 50, maxBytes = 1_048_576 } = this.#options;
    const { server } = item.from;
    if (this.#isClosed) return 'The host is closing.';
    if (this.#waiting.size >= maxItems) return `${maxItems} questions wait for an answer already.`;
    const ofServer = [...this.#waiting.values()].filter((waiting) => waiting.item.from.server === server).length;
    if (server !== undefined && ofServer >= maxPerServer)
      return `${maxPerServer} questions of this server wait for an answer already.`;
    if ('url' in item.question && item.question.url.length > MAX_URL_LENGTH)
      return `Its address has more than ${MAX_URL_LENGTH} characters.`;
    return Buffer.byteLength(JSON.stringify(item)) > maxBytes ? `It has more than ${maxBytes} bytes.` : undefined;
  }

  /** Writes that a question has ended. Values that a person gave are not written, only the names of fields. */
  #record(item: InboxItem, { ending, answer, reason }: { ending: Ending; answer: JsonObject; reason?: string }): void {
    const { action, content } = answer;
    this.#write('answer', item, {
      ...(action !== undefined && { action }),
      by: ending,
      ...(reason !== undefined && { reason }),
      ...(content !== undefined && { fields: Object.keys(content as JsonObject) }),
      ...((answer['request'] ?? answer['arguments'] ?? answer['result']) !== undefined && { isEdited: true }),
    });
  }

  #write(type: 'question' | 'answer', { id, kind, from }: InboxItem, details: JsonObject): void {
    const event = {
      type,
      ...(from.server !== undefined && { server: from.server }),
      ...(from.call !== undefined && { call: from.call.id }),
      details: { id, kind, ...details },
    };
    attempt(
      () => this.#options.audit?.write(event),
      (error) => this.#problem('The audit log failed', error),
    );
  }

  #tell(change: InboxChange): void {
    for (const listener of Array.from(this.#listeners))
      attempt(
        () => listener(change),
        (error) => this.#problem('A listener of the inbox failed', error),
      );
  }

  #problem(what: string, cause?: unknown): void {
    const message = cause === undefined ? what : `${what}: ${asError(cause).message}`;
    attempt(() => this.#options.onproblem?.(new Error(message, { cause })));
  }
}

function asker({ server }: Provenance): string {
  return server === undefined ? 'the host' : `the server "${server}"`;
}

/** A copy, so that a question cannot change while a person reads it. `undefined` when it is no JSON. */
function copied<T>(value: T): T | undefined {
  try {
    return JSON.parse(JSON.stringify(value)) as T;
  } catch {
    return undefined;
  }
}
