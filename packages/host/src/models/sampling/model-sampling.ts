import { ProtocolError, type CreateMessageResult } from 'crosspoint/client';
import type {
  SamplingAbout,
  SamplingAdmission,
  SamplingAsker,
  SamplingContext,
  SamplingOptions,
  SamplingRequest,
} from '../../context/sampling.ts';
import { matchesGlob } from '../../values/glob.ts';
import { asError, atOnce, orAborted } from '../../values/guard.ts';
import type { JsonObject } from '../../values/json.ts';
import { visibleLine } from '../../values/visible-text.ts';
import {
  ModelError,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type ModelUsage,
} from '../model.ts';
import { NO_USAGE, priced } from '../usage.ts';
import { withRetries, type RetriesOptions } from '../retries.ts';
import { modelRequest, serverAnswer } from './conversion.ts';
import { choose, type ModelChoice, type OfferedModel } from './model-choice.ts';
import { SamplingBudget, limitsOf, mostOf, type SamplingLimits, type SamplingUse } from './sampling-budget.ts';
import { ToolNames } from './tool-names.ts';

/**
 * How the requests of some servers are answered. The first rule that names a server counts for it, alone; members that it lacks have their defaults.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export interface SamplingRule {
  /** Patterns of names of servers; every server when absent. */
  readonly server?: string | readonly string[];
  /** Patterns of models that may answer, by name (`claude-*`) or provider and name (`local/*`); every model when absent, none when empty. */
  readonly models?: string | readonly string[];
  /** A request whose hints mean a model that is not allowed: answered by one that is (`replace`, the default), or refused. */
  readonly forbidden?: 'replace' | 'refuse';
  readonly limits?: SamplingLimits;
  /** The most context that a request may bring along; `none` when absent. */
  readonly context?: SamplingContext;
  /** Whether the model may be told of tools that the server sends along; true when absent. */
  readonly tools?: boolean;
  /** The system prompt of the server: taken as it is (`keep`, the default), left out, or made by a function, which must return it at once. */
  readonly systemPrompt?:
    | 'keep'
    | 'drop'
    | ((text: string | undefined, about: { readonly server: string }) => string | undefined);
}

/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export interface ModelSamplingOptions {
  /** The models that may answer. */
  readonly providers: readonly ModelProvider[];
  /** Without any, every server may ask every model, within the default limits and without context. */
  readonly rules?: readonly SamplingRule[];
  /** How requests that fail for a passing reason are sent again; `false`: never. */
  readonly retries?: RetriesOptions | false;
  /** The time, for tests. */
  readonly now?: () => number;
}

/**
 * Sampling for a host: `new Host({ sampling })`.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export interface ModelSampling extends SamplingOptions {
  /** The use that a server has made of models in its window. */
  readonly used: (server: string) => SamplingUse;
}

/** Refusals that are told one by one; of the others, every one whose number is a power of ten. */
const TOLD_REFUSALS = 3;
const MOST_SERVERS = 1000;

/**
 * Answers the requests of servers for a model (`sampling/createMessage`) by the models of providers: chosen by hints and priorities among those that
 * a rule allows, within limits on requests, tokens and money. Whether a person sees a request before the model does, and the answer before the
 * server does, is decided by the policy of the host (`action: 'sample'`); without a rule there, a person sees both.
 *
 * ```ts
 * const host = new Host({
 *   name: 'my-app',
 *   version: '1.0.0',
 *   servers,
 *   policy: { rules: [{ action: 'sample', effect: 'allow', server: 'mail' }] },
 *   sampling: modelSampling({
 *     providers: [anthropicProvider({ models: ['claude-haiku-5'] })],
 *     rules: [{ server: 'mail', models: 'claude-*', limits: { requests: 30, tokens: 50_000 } }, { models: [] }],
 *   }),
 * });
 * ```
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export function modelSampling(options: ModelSamplingOptions): ModelSampling {
  const sampling = new Sampling(options);
  const givesContext = options.rules?.some(({ context = 'none' }) => context !== 'none') === true;
  return {
    tools: true,
    admit: (request, about) => sampling.admit(request, about),
    model: (request, about) => sampling.answer(request, about),
    used: (server) => sampling.used(server),
    ...(givesContext && { includeContext: (_, { server }) => sampling.ruleFor(server).context ?? 'none' }),
  };
}

class Sampling {
  readonly #options: ModelSamplingOptions;
  readonly #providers: readonly ModelProvider[];
  readonly #budgets = new Map<string, SamplingBudget>();

  constructor(options: ModelSamplingOptions) {
    const { providers, retries = {} } = options;
    this.#options = options;
    this.#providers = retries === false ? providers : providers.map((provider) => withRetries(provider, retries));
  }

  ruleFor(server: string): SamplingRule {
    const isFor = ({ server: names }: SamplingRule): boolean =>
      names === undefined || listOf(names).some((pattern) => matchesGlob(pattern, server));
    return (this.#options.rules ?? []).find(isFor) ?? {};
  }

  used(server: string): SamplingUse {
    return this.#budget(server).use(this.ruleFor(server).limits ?? {});
  }

  /** Counts the request, changes it as the rule says, and chooses the model. Nobody has been asked yet. */
  async admit(given: SamplingRequest, { server, call, signal }: SamplingAsker): Promise<SamplingAdmission> {
    const rule = this.ruleFor(server);
    const { limits = {} } = rule;
    const budget = this.#budget(server);
    const full = budget.begin(limits, call?.id);
    if (full !== undefined) return refusal(budget, full);
    if (rule.tools === false && (given.tools?.length ?? 0) > 0) return refusal(budget, 'It may not bring tools along.');
    const request = changed(given, rule, server);
    const choice = await this.#choice(request, rule, signal);
    if (choice.model === undefined) return refusal(budget, 'No model may answer it.');
    if (choice.forbidden !== undefined && rule.forbidden === 'refuse')
      return refusal(budget, `It may not ask for the model ${shown(choice.forbidden)}.`);
    const names = new ToolNames(request.tools ?? []);
    const most = mostOf(modelRequest(request, { model: choice.model.name, names, context: [] }), choice.model);
    const excess = budget.excess(limits, most);
    if (excess !== undefined) return refusal(budget, excess);
    return { action: 'allow', request, model: choice.model.name, remarks: remarksOn(given, request, choice) };
  }

  /** Asks the model. The request is the one that a person allowed, and perhaps edited, so that everything is checked again. */
  async answer(given: SamplingRequest, about: SamplingAbout): Promise<CreateMessageResult> {
    const { server, signal, note } = about;
    const rule = this.ruleFor(server);
    const { limits = {} } = rule;
    const request = { ...given, maxTokens: Math.min(given.maxTokens, limitsOf(limits).maxTokens) };
    const { model, forbidden } = await this.#choice(request, rule, signal);
    const names = new ToolNames(request.tools ?? []);
    const budget = this.#budget(server);
    const asked = modelRequest(request, { model: model?.name ?? '', names, context: about.context });
    const most = model === undefined ? undefined : mostOf(asked, model);
    const why = most === undefined ? 'No model may answer it.' : budget.excess(limits, most);
    if (model === undefined || most === undefined || why !== undefined) {
      note({ refused: why ?? '' });
      throw new ProtocolError('user-rejected', `The host refused the sampling request: ${why}`);
    }
    const spending = budget.reserve(most);
    const response = await this.#complete(model, asked, { ...about, spending });
    const { result, leftOut } = serverAnswer(response, request, names);
    note({
      model: result.model,
      provider: model.provider.name,
      stopReason: response.stopReason,
      ...usageFacts(response),
      ...(forbidden !== undefined && { forbidden: shown(forbidden) }),
      ...(leftOut.length > 0 && { leftOut: leftOut.slice(0, 20).map(shown) }),
    });
    if (request.toolChoice?.mode === 'required' && result.stopReason !== 'toolUse')
      throw new ProtocolError('internal', 'The model was required to use a tool of the server, and used none.');
    return result;
  }

  async #complete(
    model: OfferedModel,
    request: ModelRequest,
    { signal, note, spending }: SamplingAbout & { readonly spending: { tokens: number; cost: number } },
  ): Promise<ModelResponse> {
    const lost: ModelUsage[] = [];
    const settle = ({ usage }: Pick<ModelResponse, 'usage'>): void => {
      const all = [...lost, usage];
      const counted = all.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
      // An endpoint that counts nothing is taken at the estimate.
      if (counted === 0) return;
      spending.tokens = counted;
      spending.cost = all.reduce((sum, one) => sum + (one.cost ?? priced(one, model).cost ?? 0), 0);
    };
    // Attempts that broke off have cost something, too.
    const onevent = (event: ModelEvent): void => {
      if (event.type === 'again' && event.error.partial !== undefined) lost.push(event.error.partial.usage);
    };
    try {
      const response = await orAborted(model.provider.complete(request, { signal, onevent }), signal);
      settle(response);
      return response;
    } catch (error) {
      const failed = error instanceof ModelError ? error : undefined;
      signal.throwIfAborted();
      if (failed !== undefined) {
        Object.assign(spending, { tokens: 0, cost: 0 });
        settle({ usage: failed.partial?.usage ?? NO_USAGE });
      }
      const kind = failed?.kind ?? 'error';
      note({ model: model.name, provider: model.provider.name, failed: kind, message: shown(asError(error).message) });
      // The words of a provider are for the user, not for the server.
      throw new ProtocolError('internal', `The model could not answer (${kind}).`);
    }
  }

  async #choice(request: SamplingRequest, rule: SamplingRule, signal: AbortSignal): Promise<ModelChoice> {
    const lists = await Promise.all(
      this.#providers.map(async (provider) => {
        try {
          const models = await orAborted(Promise.resolve(provider.models()), signal);
          return models.map((model) => ({ ...model, provider }));
        } catch {
          // A provider that cannot say what it has offers nothing.
          return [];
        }
      }),
    );
    const patterns = rule.models === undefined ? undefined : listOf(rule.models);
    return choose(lists.flat(), request.modelPreferences, patterns);
  }

  #budget(server: string): SamplingBudget {
    const found = this.#budgets.get(server) ?? new SamplingBudget(this.#options.now ?? Date.now);
    this.#budgets.delete(server);
    this.#budgets.set(server, found);
    const [oldest] = this.#budgets.keys();
    if (this.#budgets.size > MOST_SERVERS && oldest !== undefined) this.#budgets.delete(oldest);
    return found;
  }
}

/** The request as the rule has it: its system prompt, and no more tokens than the limit. */
function changed(
  request: SamplingRequest,
  { systemPrompt = 'keep', limits }: SamplingRule,
  server: string,
): SamplingRequest {
  const { systemPrompt: given, ...rest } = request;
  const system =
    systemPrompt === 'keep' ? given : systemPrompt === 'drop' ? undefined : atOnce(systemPrompt(given, { server }));
  const maxTokens = Math.min(request.maxTokens, limitsOf(limits).maxTokens);
  return { ...rest, maxTokens, ...(system !== undefined && { systemPrompt: system }) };
}

function remarksOn(given: SamplingRequest, request: SamplingRequest, { forbidden, model }: ModelChoice): string[] {
  const { maxTokens, systemPrompt } = request;
  return [
    ...(forbidden === undefined
      ? []
      : [`It asks for the model ${shown(forbidden)}, which it may not use, and gets ${model?.name}.`]),
    ...(given.systemPrompt === systemPrompt ? [] : ['A rule has changed its instructions for the model.']),
    ...(given.maxTokens === maxTokens ? [] : [`It asks for ${given.maxTokens} tokens and gets ${maxTokens}.`]),
  ];
}

function refusal(budget: SamplingBudget, reason: string): SamplingAdmission {
  const number = budget.refused();
  const isTold = number <= TOLD_REFUSALS || /^10+$/.test(String(number));
  const counted =
    number > TOLD_REFUSALS && isTold ? `${reason} (${number} of its requests were refused so far.)` : reason;
  return { action: 'refuse', reason: counted, isQuiet: !isTold };
}

function usageFacts({ usage }: ModelResponse): JsonObject {
  const { inputTokens, outputTokens, cost } = usage;
  return { inputTokens, outputTokens, ...(cost !== undefined && { cost }) };
}

function listOf(given: string | readonly string[]): readonly string[] {
  return typeof given === 'string' ? [given] : given;
}

function shown(text: string): string {
  return visibleLine(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
