import type { Clock } from '../../../peer/clock.ts';
import type { Retry } from '../../../protocol/outcome.ts';
import type { LeftBehind } from '../../../stores/left-behind.ts';
import type { ServerContext } from '../../calls/context.ts';
import type { HandledRequest } from '../../calls/handler.ts';
import type { Registry } from '../../offering/registry.ts';
import type { Asker, AskerPort } from '../asker.ts';
import type { AskingOptions } from '../asking-options.ts';
import { ReplayAsker } from './replay-asker.ts';
import { RoundKeeper } from './round-keeper.ts';
import { openRound } from './round-state.ts';

/** The calls of one server that ask by ending, and run again when their client comes back. */
export class Replays {
  readonly #keeper: RoundKeeper;
  readonly #registry: () => Registry | undefined;

  /** `leftBehind` counts the calls remembered in this process. */
  constructor(
    options: AskingOptions,
    clock: Clock,
    { leftBehind }: { readonly leftBehind: LeftBehind },
    registry: () => Registry | undefined,
  ) {
    this.#keeper = new RoundKeeper(options, clock, leftBehind);
    this.#registry = registry;
  }

  /** The asker of a call that has asked nothing so far. */
  begin(ctx: ServerContext, port: AskerPort): Asker {
    return new ReplayAsker(this.#rulesFor(ctx), port, undefined, ctx.inbound.retry);
  }

  /** The asker of a call that comes back. Rejects with `state-refused` for a state that is not its own. */
  async resume(ctx: ServerContext, port: AskerPort, retry: Retry): Promise<Asker> {
    const rules = this.#rulesFor(ctx);
    return new ReplayAsker(rules, port, await openRound(rules, retry), retry);
  }

  #rulesFor(ctx: ServerContext): ReturnType<RoundKeeper['rulesFor']> {
    const registry = this.#registry();
    return this.#keeper.rulesFor(ctx, registry && definitionOf(registry, ctx.inbound));
  }
}

/** The definition that a call is for, so that a question asked under one definition is not answered under another. */
function definitionOf(registry: Registry, { method, params }: HandledRequest): object | undefined {
  if (method === 'tools/call') return registry.tools.get(String(params['name']))?.definition;
  if (method === 'prompts/get') return registry.prompts.get(String(params['name']))?.definition;
  return registry.resources.get(String(params['uri']))?.definition;
}
