import type { Clock } from '../../peer/clock.ts';
import type { ServerContext } from '../context.ts';
import { roundLimits, type AskingOptions, type RoundLimits } from './asking-options.ts';
import { canonical } from './canonical.ts';
import { digest } from './digest.ts';
import type { RoundRules } from './round-state.ts';
import { createSealer, type Sealer } from './sealer.ts';

const definitions = new WeakMap<object, string>();

/** Knows how the calls of one server remember their rounds. */
export class RoundKeeper {
  readonly #options: AskingOptions;
  readonly #limits: RoundLimits;
  readonly #clock: Clock;
  #sealer: Sealer | undefined;

  constructor(options: AskingOptions, clock: Clock) {
    this.#options = options;
    this.#limits = roundLimits(options);
    this.#clock = clock;
  }

  rulesFor(ctx: ServerContext, definition: object | undefined): RoundRules {
    const { singleUse = false, maxStateBytes = 16 * 1024 } = this.#options;
    return {
      ...this.#limits,
      sealer: this.#useSealer(),
      bound: boundOf(ctx),
      definition: definition === undefined ? '' : digestOf(definition),
      clock: this.#clock,
      singleUse,
      maxStateBytes,
    };
  }

  /** Made on first use: most servers never ask. */
  #useSealer(): Sealer {
    this.#sealer ??= createSealer(this.#options.keys ?? [crypto.getRandomValues(new Uint8Array(32))], () =>
      this.#clock.now(),
    );
    return this.#sealer;
  }
}

/** Whom and what a state belongs to. The client writes params anew for a retry, so the order of keys must not matter. */
function boundOf({ principal, inbound }: ServerContext): string {
  const { _meta: _envelope, requestState: _state, inputResponses: _answers, ...params } = inbound.params;
  return canonical([principal ?? null, inbound.method, params]);
}

function digestOf(definition: object): string {
  let known = definitions.get(definition);
  if (known === undefined) definitions.set(definition, (known = digest(definition)));
  return known;
}
