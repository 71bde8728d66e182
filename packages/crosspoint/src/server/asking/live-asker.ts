import type { JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError, TransportError, isProtocolError } from '../../protocol/errors.ts';
import type { Ask } from '../../protocol/outcome.ts';
import type { AskOptions } from '../calls/edge.ts';
import {
  quiet,
  type Asker,
  type AskerPort,
  type Ended,
  type Question,
  type StepFacts,
  type StepOptions,
} from './asker.ts';
import type { RoundLimits } from './asking-options.ts';
import { canonical } from './seals/canonical.ts';
import { InputRequired } from './input-required.ts';
import { unknownQuestion } from './questions.ts';
import { Steps, requireStore, valueOf, type StepRecord } from './steps.ts';
import { guardSuspensions, mayGoUnheard } from './suspension.ts';

/** A call whose client can be sent requests. */
export interface LiveCall extends AskerPort {
  request(method: string, params: JsonObject, options: AskOptions): Promise<JsonObject>;
  /** Passes a question through the middleware, on its way to `last`. */
  through(ask: Ask, last: (params: JsonObject) => Promise<JsonObject>): Promise<JsonObject>;
}

/**
 * Asks over a live connection: each question is a request to the client, and the handler waits. Only the explicit style makes the handler run again; earlier
 * answers and steps are then remembered, as for a client without a connection.
 */
export class LiveAsker implements Asker {
  readonly replaying = false;
  answers: JsonObject | undefined;
  authorState: string | undefined;
  readonly #call: LiveCall;
  readonly #limits: RoundLimits;
  readonly #id: string = crypto.randomUUID();
  readonly #finished = new Map<string, Promise<StepRecord>>();
  readonly #answered: { readonly question: string; readonly answer: Promise<JsonObject> }[] = [];
  /** The answers of earlier runs that this run has not repeated yet, by question; `undefined` in the first run. */
  #past: Map<string, Promise<JsonObject>[]> | undefined;
  #steps: Steps;
  #rounds = 0;

  constructor(call: LiveCall, limits: RoundLimits) {
    guardSuspensions();
    this.#call = call;
    this.#limits = limits;
    this.#steps = new Steps(this.#id);
  }

  ask(question: Question): Promise<JsonObject> {
    try {
      this.#steps.refuseInside('Asking');
    } catch (error) {
      return quiet(Promise.reject(error));
    }
    // Serialised now, since the author may change the question later.
    const text = JSON.stringify([question.key ?? null, question.ask]);
    const answer = this.#past?.get(identityOf(text))?.shift() ?? quiet(this.#send(question));
    this.#answered.push({ question: text, answer });
    return answer;
  }

  async #send({ ask, options }: Question): Promise<JsonObject> {
    try {
      return await this.#call.request(ask.method, ask.params, options);
    } catch (error) {
      // The client or the call is gone: an answer that is no longer awaited must not end the process.
      if (error instanceof TransportError) mayGoUnheard(error);
      if (isProtocolError(error) && error.kind === 'method-not-found') throw unknownQuestion(ask.method, error);
      throw error;
    }
  }

  step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    return quiet(this.#step(name, run, options));
  }

  async #step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    this.#steps.begin(name);
    requireStore(name, options, this.#limits.store);
    let record = this.#finished.get(name);
    if (record === undefined) this.#finished.set(name, (record = this.#steps.run(name, run)));
    return valueOf<T>(name, await record);
  }

  ended(ended: Ended): void {
    const asks = ended.ok && ended.value instanceof InputRequired && !this.#call.isOver() ? ended.value : undefined;
    if (asks) void this.#askExplicitly(asks);
    else this.#call.settle({ kind: 'ended', ended });
  }

  /** The questions of the explicit style become requests; then the handler runs again with the answers. */
  async #askExplicitly({ asks, state }: InputRequired): Promise<void> {
    try {
      this.#rounds += 1;
      if (this.#rounds > this.#limits.maxRounds)
        throw new ProtocolError('invalid-request', `More than ${this.#limits.maxRounds} rounds of questions.`);
      const answers = await Promise.all(
        Object.entries(asks).map(async ([key, ask]) => {
          const send = (params: JsonObject): Promise<JsonObject> => this.#call.request(ask.method, params, {});
          return [key, await this.#call.through(ask, send)] as const;
        }),
      );
      this.answers = Object.fromEntries(answers);
      this.authorState = state;
    } catch (error) {
      return this.#call.settle({ kind: 'failed', error });
    }
    this.#remember();
    this.#call.rerun();
  }

  #remember(): void {
    this.#steps = new Steps(this.#id);
    const past = new Map<string, Promise<JsonObject>[]>();
    for (const { question, answer } of this.#answered.splice(0)) {
      const identity = identityOf(question);
      const known = past.get(identity);
      if (known) known.push(answer);
      else past.set(identity, [answer]);
    }
    this.#past = past;
  }
}

/** Identifies a question, whatever the order of its members. */
function identityOf(question: string): string {
  return canonical(JSON.parse(question));
}
