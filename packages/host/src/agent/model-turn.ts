import type { CatalogueTool } from '../catalogue/catalogue.ts';
import { ModelError, type ModelEvent, type ModelMessage, type ModelResponse, type ModelTool } from '../models/model.ts';
import { withRetries } from '../models/retries.ts';
import { attempt, orAborted } from '../values/guard.ts';
import { isObject } from '../values/json.ts';
import { answerTokens } from './budget.ts';
import type { ChosenModel } from './chosen-model.ts';
import type { RunEntry } from './journal.ts';
import type { RunState } from './run-state.ts';
import { RunStop } from './run-stop.ts';
import type { AgentHost, RunEvent } from './run.ts';
import type { AgentSettings } from './settings.ts';
import { requestTokens, shortening } from './shortening.ts';
import { inSpan } from './spans.ts';
import { systemText } from './system-text.ts';

export interface ModelTurn extends ChosenModel {
  readonly state: RunState;
  readonly settings: AgentSettings;
  readonly signal: AbortSignal;
  readonly shown: readonly CatalogueTool[];
  readonly tools: readonly ModelTool[];
}

export interface TurnPort {
  readonly host: AgentHost;
  /** Milliseconds of the run so far. */
  ms(): number;
  record(entry: RunEntry): Promise<void>;
  emit(event: RunEvent): void;
}

/** The part of a request that has to become free when the provider says that it is too long. */
const FREED = 0.25;

/** Asks the model once, and writes its answer down. A conversation that is too long is shortened until it fits. */
export async function askModel(turn: ModelTurn, port: TurnPort): Promise<void> {
  const { state, info, settings, shown, tools } = turn;
  const system = settings.instructions ? systemText(state.system, port.host.catalogue, shown) : state.system;
  const maxTokens = Math.max(1, answerTokens(state, Math.min(settings.maxTokens, info.maxOutputTokens ?? Infinity)));
  const size = (): number => requestTokens(state.messages(), system, tools);
  for (;;) {
    const excess = info.contextTokens === undefined ? 0 : size() + maxTokens - info.contextTokens;
    if (excess > 0 && (await shorten(turn, port, excess))) continue;
    const request = { system, maxTokens, messages: state.messages() };
    const response = await inSpan(port.host, 'model', { name: info.name, maxTokens }, async (span) => {
      const given = await complete(turn, port, request);
      span.set({ stopReason: given?.stopReason ?? 'context-overflow', usage: { ...given?.usage } });
      return given;
    });
    if (response !== undefined && response.stopReason !== 'context-overflow') return answered(turn, port, response);
    if (response !== undefined) await port.record({ type: 'spent', usage: response.usage });
    if (!(await shorten(turn, port, size() * FREED)))
      throw new RunStop(
        'context-full',
        `The conversation is too long for the model "${info.name}", and no result is left to shorten.`,
      );
  }
}

async function answered({ state, signal }: ModelTurn, port: TurnPort, response: ModelResponse): Promise<void> {
  const { content, stopReason, stopDetail, usage } = response;
  signal.throwIfAborted();
  await port.record({
    type: 'answer',
    content,
    stopReason,
    ...(stopDetail !== undefined && { stopDetail }),
    usage,
    ms: port.ms(),
  });
  port.emit({ type: 'message', message: { role: 'assistant', content }, stopReason });
  port.emit({ type: 'usage', usage: state.usage, rounds: state.rounds });
}

/** The answer; `undefined` when the request is too long for the model. */
async function complete(
  { provider, info, settings, signal, tools }: ModelTurn,
  port: TurnPort,
  request: { readonly system: string; readonly maxTokens: number; readonly messages: readonly ModelMessage[] },
): Promise<ModelResponse | undefined> {
  const { system, ...rest } = request;
  const asked = settings.retries === false ? provider : withRetries(provider, settings.retries);
  const spent = (error: unknown): Promise<void> =>
    error instanceof ModelError && error.partial !== undefined
      ? port.record({ type: 'spent', usage: error.partial.usage })
      : Promise.resolve();
  const onevent = (event: ModelEvent): void => {
    if (event.type === 'text' || event.type === 'reasoning') port.emit({ type: event.type, text: event.text });
    if (event.type !== 'again') return;
    port.emit({ type: 'again', error: event.error, waitMs: event.waitMs });
    attempt(() => spent(event.error));
  };
  const answer = asked.complete(
    {
      model: info.name,
      ...(system !== '' && { system }),
      ...(tools.length > 0 && { tools }),
      ...settings.extra,
      ...rest,
    },
    { signal, onevent },
  );
  try {
    return checkedResponse(await orAborted(answer, signal), provider.name);
  } catch (error) {
    signal.throwIfAborted();
    await spent(error);
    if (error instanceof ModelError && error.kind === 'context-overflow') return undefined;
    if (error instanceof ModelError && error.kind === 'refused') throw new RunStop('refused', error.message);
    throw error;
  }
}

/** An answer that can be written down and sent again. Providers may be those of the program. */
function checkedResponse(given: ModelResponse, provider: string): ModelResponse {
  const response: unknown = given;
  const isWhole =
    isObject(response) &&
    Array.isArray(response['content']) &&
    response['content'].every((block: unknown) => isObject(block) && typeof block['type'] === 'string') &&
    typeof response['stopReason'] === 'string' &&
    isObject(response['usage']);
  if (!isWhole)
    throw new TypeError(`The provider "${provider}" gave no answer with "content", "stopReason" and "usage".`);
  return given;
}

async function shorten({ state }: ModelTurn, port: TurnPort, tokens: number): Promise<boolean> {
  const found = shortening(state, tokens);
  if (found === undefined) return false;
  await port.record(found.entry);
  port.emit({ type: 'shortened', results: found.entry.cuts.length, tokens: found.tokens });
  return true;
}
