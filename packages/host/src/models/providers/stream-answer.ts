import { orAborted } from '../../values/guard.ts';
import { ModelError, type CompleteOptions, type ModelInfo, type ModelRequest, type ModelResponse } from '../model.ts';
import { AnswerBuilder } from './answer-builder.ts';
import { modelErrorOf } from './provider-error.ts';

/** How one API says an answer. */
export interface Wire<Chunk> {
  /** Sends the request. The library must not try it again by itself. */
  open(signal: AbortSignal): Promise<AsyncIterable<Chunk>>;
  take(chunk: Chunk, builder: AnswerBuilder): void;
  /** The whole answer; `undefined` where its end never came. */
  end(builder: AnswerBuilder): ModelResponse | undefined;
}

export interface AnswerOf {
  readonly provider: string;
  readonly key: string;
  readonly request: ModelRequest;
  readonly info: ModelInfo | undefined;
  readonly options: CompleteOptions;
  /** The longest silence before the answer and inside of it. */
  readonly idleMs: number;
}

/** Milliseconds of silence before a request is given up. Libraries hide the signs of life that providers send while a model thinks. */
export const DEFAULT_IDLE_MS = 600_000;

/** Reads one answer to its end. Rejects with `ModelError`, or with the reason of the signal. */
export async function streamAnswer<Chunk>(wire: Wire<Chunk>, about: AnswerOf): Promise<ModelResponse> {
  const { provider, key, request, info, options, idleMs } = about;
  const { signal } = options;
  signal?.throwIfAborted();
  const builder = new AnswerBuilder({ provider, model: request.model, info, onevent: options.onevent });
  const silence = new Silence(idleMs);
  const either = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  try {
    for await (const chunk of await orAborted(wire.open(either), either)) {
      // Libraries end a stream that was aborted as if it were whole.
      if (either.aborted) break;
      silence.heard();
      wire.take(chunk, builder);
    }
    either.throwIfAborted();
    const response = wire.end(builder);
    if (response !== undefined) return response;
    throw new ModelError(`The answer of ${provider} broke off: its end never came.`, {
      kind: 'interrupted',
      provider,
      partial: builder.partial(),
    });
  } catch (error) {
    signal?.throwIfAborted();
    const partial = builder.hasBegun ? builder.partial() : undefined;
    throw modelErrorOf(silence.signal.aborted ? silence.signal.reason : error, { provider, key, partial });
  } finally {
    silence.end();
  }
}

/** Aborts when nothing was heard for a time. */
class Silence {
  readonly #controller = new AbortController();
  readonly #idleMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#controller.abort(new Error(`Nothing was heard for ${this.#idleMs} milliseconds.`)),
      this.#idleMs,
    );
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
