import type { JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Ask } from '../../protocol/outcome.ts';
import type { Store } from '../../stores/store.ts';
import type { AskOptions } from '../edge.ts';
import { quiet, type Asker, type AskerPort, type Ended, type Question, type StepFacts, type StepOptions } from './asker.ts';
import { InputRequired } from './input-required.ts';
import { Steps, valueOf } from './steps.ts';

export interface LiveChannel extends AskerPort {
  send(ask: Ask, options: AskOptions): Promise<JsonObject>;
  readonly maxRounds: number;
  readonly store: Store | undefined;
}

/** Asks over a live connection: each question is a request to the client, and the handler simply waits. */
export class LiveAsker implements Asker {
  readonly replaying = false;
  answers: JsonObject | undefined;
  authorState: string | undefined;
  readonly #channel: LiveChannel;
  readonly #steps: Steps;
  #rounds = 0;

  constructor(channel: LiveChannel) {
    this.#channel = channel;
    this.#steps = new Steps(crypto.randomUUID(), channel.store);
  }

  ask({ ask, options }: Question): Promise<JsonObject> {
    return quiet(this.#ask(ask, options));
  }

  async #ask(ask: Ask, options: AskOptions): Promise<JsonObject> {
    this.#steps.refuseInside('Asking');
    return this.#channel.send(ask, options);
  }

  step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    return quiet(this.#step(name, run, options));
  }

  async #step<T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions): Promise<T> {
    this.#steps.begin(name);
    return valueOf<T>(name, await this.#steps.run(name, run, options));
  }

  ended(ended: Ended): void {
    if (ended.ok && ended.value instanceof InputRequired) void this.#askExplicitly(ended.value);
    else this.#channel.settle({ kind: 'ended', ended });
  }

  /** The questions of the explicit style become requests; then the handler runs again with the answers. */
  async #askExplicitly({ asks, state }: InputRequired): Promise<void> {
    try {
      this.#rounds += 1;
      if (this.#rounds > this.#channel.maxRounds) throw new ProtocolError('invalid-request', `More than ${this.#channel.maxRounds} rounds of questions.`);
      const answers = await Promise.all(Object.entries(asks).map(async ([key, ask]) => [key, await this.#channel.send(ask, {})] as const));
      this.answers = Object.fromEntries(answers);
      this.authorState = state;
    } catch (error) {
      return this.#channel.settle({ kind: 'failed', error });
    }
    this.#channel.rerun();
  }
}
