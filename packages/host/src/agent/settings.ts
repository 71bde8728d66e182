import type { ModelProvider, ModelRequest } from '../models/model.ts';
import type { RetriesOptions } from '../models/retries.ts';
import { keptBudget } from './budget.ts';
import type { KeptBudget } from './journal.ts';
import type { AgentHost, AgentView, Budget } from './run.ts';

export interface AgentOptions {
  /** The providers of models. A request that fails for a passing reason is sent again, so they need no `withRetries`. */
  readonly models: readonly ModelProvider[];
  /** The name of the model; the first one of the first provider when absent. */
  readonly model?: string | undefined;
  /** Words to the model before the conversation. */
  readonly system?: string | undefined;
  /** Adds the instructions of the servers whose tools the model sees; true when absent. */
  readonly instructions?: boolean | undefined;
  /** The limits of a run; 50 rounds when absent. */
  readonly budget?: Budget | undefined;
  /** The most tokens of one answer; 8192 when absent, and no more than the model has. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** How failed requests are sent again; `false`: not at all. */
  readonly retries?: RetriesOptions | false | undefined;
  /**
   * Makes the view of a new run, or of one that is resumed, from the state that was kept. Every tool of the catalogue when absent.
   *
   * ```ts
   * view: (host, state) => new ToolView(new ToolSearch(host), { state })
   * ```
   */
  readonly view?: ((host: AgentHost, state: unknown) => AgentView) | undefined;
  /** The most characters of a result that the model is given at once; 40,000 when absent. It reads the rest with `read_result`. */
  readonly maxResultCharacters?: number | undefined;
  /** Milliseconds after which the model goes on without the result of a call, and gets it later; 2 minutes when absent. */
  readonly goesOnAfterMs?: number | undefined;
  /** Milliseconds that a run waits at its beginning for servers that connect; 10 seconds when absent. */
  readonly settleMs?: number | undefined;
  /** Milliseconds that a run can be resumed after its last steps; 30 days when absent. */
  readonly keepMs?: number | undefined;
}

/** The options with everything that was absent. */
export interface AgentSettings {
  readonly models: readonly ModelProvider[];
  readonly model: string | undefined;
  readonly system: string;
  readonly instructions: boolean;
  readonly budget: KeptBudget;
  readonly maxTokens: number;
  readonly extra: Pick<ModelRequest, 'temperature'>;
  readonly retries: RetriesOptions | false;
  readonly view: AgentOptions['view'];
  readonly maxResultCharacters: number;
  readonly goesOnAfterMs: number;
  readonly settleMs: number;
  readonly keepMs: number;
}

const DAY_MS = 86_400_000;

/** Throws a `TypeError` that names what is wrong with the options. */
export function agentSettings(options: AgentOptions): AgentSettings {
  if (!Array.isArray(options?.models) || options.models.length === 0)
    throw new TypeError(
      "An agent needs a provider of models: agent({ models: [anthropicProvider({ models: ['…'] })] }).",
    );
  const { temperature } = options;
  return {
    models: options.models as readonly ModelProvider[],
    model: options.model,
    system: options.system ?? '',
    instructions: options.instructions ?? true,
    budget: keptBudget(options.budget),
    maxTokens: positive(options, 'maxTokens', 8192),
    extra: temperature === undefined ? {} : { temperature },
    retries: options.retries ?? {},
    view: options.view,
    maxResultCharacters: positive(options, 'maxResultCharacters', 40_000),
    goesOnAfterMs: positive(options, 'goesOnAfterMs', 120_000),
    settleMs: Math.min(positive(options, 'settleMs', 10_000), DAY_MS),
    keepMs: positive(options, 'keepMs', 30 * DAY_MS),
  };
}

type Amount = 'maxTokens' | 'maxResultCharacters' | 'goesOnAfterMs' | 'settleMs' | 'keepMs';

function positive(options: AgentOptions, name: Amount, usual: number): number {
  const given = options[name] ?? usual;
  if (typeof given !== 'number' || !(given > 0))
    throw new TypeError(`The ${name} of an agent is a number above 0, not ${String(given)}.`);
  return given;
}
