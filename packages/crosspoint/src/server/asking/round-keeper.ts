import type { Clock } from '../../peer/clock.ts';
import type { Store } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import type { AuthInfo } from '../../transports/transport.ts';
import { principalOf } from '../principal.ts';
import { canonical, digest } from './canonical.ts';
import type { RoundRules } from './round-state.ts';
import { createSealer, type Sealer, type SealingKey } from './sealer.ts';

export interface AskingOptions {
  /**
   * Secrets that seal what clients carry between rounds; the first seals, all open. Without them every process has its own: a call that was
   * asked something by one process then cannot go on in another. Programs with several processes must share these.
   */
  readonly keys?: readonly SealingKey[];
  /** How long a client may take to come back. 10 minutes when absent. */
  readonly ttlMs?: number;
  /** How often one call may ask. 10 when absent. */
  readonly maxRounds?: number;
  /** Where large states, used states and what became of steps are kept. */
  readonly store?: Store;
  /** Who is calling, as far as a state belongs to somebody. The verified client and its user (`sub`) when absent. */
  readonly principal?: (authInfo: AuthInfo | undefined) => string | undefined;
  /** Lets each state come back only once; needs the store. */
  readonly singleUse?: boolean;
  /** The longest state that a client is asked to carry. 16 KiB when absent. */
  readonly maxStateBytes?: number;
  /**
   * How long, once a call that runs again does something new, it may take to come to everything it did before; then it counts as having
   * taken another way. 1 second when absent.
   */
  readonly replayGraceMs?: number;
}

const DAY_MS = 86_400_000;

const definitions = new WeakMap<object, string>();

/** Knows how the calls of one server remember their rounds. */
export class RoundKeeper {
  readonly #options: AskingOptions;
  readonly #clock: Clock;
  #sealer: Sealer | undefined;

  constructor(options: AskingOptions, clock: Clock) {
    if (options.singleUse && options.store === undefined) throw new TypeError('asking: { singleUse } needs a store.');
    this.#options = options;
    this.#clock = clock;
  }

  rulesFor(ctx: ServerContext, definition: object | undefined): RoundRules {
    const {
      ttlMs = 600_000,
      maxRounds = 10,
      store,
      singleUse = false,
      maxStateBytes = 16 * 1024,
      replayGraceMs = 1000,
    } = this.#options;
    return {
      sealer: this.#useSealer(),
      bound: boundOf(ctx, this.#options.principal ?? principalOf),
      definition: definition === undefined ? '' : digestOf(definition),
      ttlMs,
      maxRounds,
      graceMs: replayGraceMs,
      clock: this.#clock,
      stepTtlMs: Math.max(DAY_MS, ttlMs * maxRounds),
      store,
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
function boundOf(
  { authInfo, inbound }: ServerContext,
  principal: (authInfo: AuthInfo | undefined) => string | undefined,
): string {
  const { _meta: _envelope, requestState: _state, inputResponses: _answers, ...params } = inbound.params;
  return canonical([principal(authInfo) ?? null, inbound.method, params]);
}

function digestOf(definition: object): string {
  let known = definitions.get(definition);
  if (known === undefined) definitions.set(definition, (known = digest(definition)));
  return known;
}
