import type { Clock } from '../../../peer/clock.ts';
import type { ServerContext } from '../../calls/context.ts';
import type { LeftBehind } from '../../../stores/left-behind.ts';
import { randomSecret } from '../../../runtime/secret.ts';
import { reliedOnBy } from '../../callers/left-by.ts';
import { roundLimits, type AskingOptions, type RoundLimits } from '../asking-options.ts';
import { canonical } from '../seals/canonical.ts';
import { digest } from '../seals/digest.ts';
import type { Ledger } from './ledger.ts';
import { OwnLedger } from './own-ledger.ts';
import type { RoundRules } from './round-state.ts';
import { servingOf } from '../../stored/serving.ts';
import { createSealer, type Sealer } from '../seals/sealer.ts';

const definitions = new WeakMap<object, string>();

/** The rules and stores by which the calls of one server remember their rounds. */
export class RoundKeeper {
  readonly #options: AskingOptions;
  readonly #limits: RoundLimits;
  readonly #clock: Clock;
  readonly #leftBehind: LeftBehind;
  #sealer: Sealer | undefined;
  #ledger: Ledger | undefined;

  constructor(options: AskingOptions, clock: Clock, leftBehind: LeftBehind) {
    this.#options = options;
    this.#leftBehind = leftBehind;
    this.#limits = roundLimits(options);
    this.#clock = clock;
  }

  rulesFor(ctx: ServerContext, definition: object | undefined): RoundRules {
    const { maxStateBytes = 16 * 1024 } = this.#options;
    const { ttlMs, maxRounds, graceMs, store } = this.#limits;
    // Written out member by member: the object is made for every round.
    return {
      ttlMs,
      maxRounds,
      graceMs,
      store,
      sealer: this.#useSealer(),
      bound: boundOf(ctx),
      definition: definition === undefined ? '' : digestOf(definition),
      clock: this.#clock,
      ledger: this.#useLedger(),
      leftBy: reliedOnBy(ctx),
      signal: () => ctx.signal,
      maxStateBytes,
    };
  }

  /** Chooses the ledger: this process where states return to it alone; the shared store where other processes have the keys; otherwise none. */
  #useLedger(): Ledger | undefined {
    const { keys, store, singleUse = false } = this.#options;
    if (store === undefined && keys !== undefined) return undefined;
    const clock = this.#clock;
    const { ttlMs } = this.#limits;
    this.#ledger ??= store
      ? servingOf(store).ledger({ store, clock, ttlMs, singleUse })
      : new OwnLedger({ clock, ttlMs, leftBehind: this.#leftBehind });
    return this.#ledger;
  }

  /** Made on first use: most servers never ask. */
  #useSealer(): Sealer {
    this.#sealer ??= createSealer(this.#options.keys ?? [randomSecret()], () => this.#clock.now());
    return this.#sealer;
  }
}

/** The identity that a state is bound to. A client writes its params anew for a retry, so the order of keys must not matter. */
function boundOf({ principal, inbound }: ServerContext): string {
  const { _meta: _envelope, requestState: _state, inputResponses: _answers, ...params } = inbound.params;
  return canonical([principal ?? null, inbound.method, params]);
}

function digestOf(definition: object): string {
  let known = definitions.get(definition);
  if (known === undefined) definitions.set(definition, (known = digest(definition)));
  return known;
}
