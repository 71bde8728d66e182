import { ProtocolError, type CreateMessageResult, type SamplingMessage, type Tool } from 'crosspoint/client';
import type { Asks, AskOptions, Provenance } from '../inbox/item.ts';
import { inSpan } from '../tracing/tracing.ts';
import { asJson, type JsonObject } from '../values/json.ts';
import type { CallInFlight } from './calls-in-flight.ts';
import type { ContextEntry } from './server-context.ts';

/**
 * How much of the conversation goes along with a request for a model.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export type SamplingContext = 'none' | 'thisServer' | 'allServers';

/**
 * A request of a server for words of a model, as the user allowed it: `sampling/createMessage`.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly modelPreferences?: JsonObject;
  readonly metadata?: JsonObject;
  /** The context that policy and user allow. The model function adds it; nothing is added by itself. */
  readonly includeContext: SamplingContext;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' };
}

/**
 * The one who asks for a model.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export interface SamplingAsker {
  readonly server: string;
  /** The call that led to it, where it is known. */
  readonly call?: CallInFlight;
  readonly signal: AbortSignal;
}

/**
 * The circumstances of a request that was allowed.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export interface SamplingAbout extends SamplingAsker {
  /** The calls of servers that `includeContext` of the request allows; empty where it is `none`, or where the conversation is not known. */
  readonly context: readonly ContextEntry[];
  /** Writes facts about the answer, such as its model and its cost, into the audit log. */
  readonly note: (details: JsonObject) => void;
}

/**
 * Asks a model. `chooseModel` of `crosspoint/client` picks one by the preferences of the server; `modelSampling` of `@crosspoint/host/models` does
 * all of it.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export type SamplingModel = (request: SamplingRequest, about: SamplingAbout) => Promise<CreateMessageResult>;

/**
 * The word of `admit` about a request, before anybody is asked. `request` takes its place, `model` is the one that will answer, `remarks` are sentences
 * for the user. A refusal is shown in the inbox and written down, unless it is quiet.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export type SamplingAdmission =
  | {
      readonly action: 'allow';
      readonly request?: SamplingRequest;
      readonly model?: string;
      readonly remarks?: readonly string[];
    }
  | { readonly action: 'refuse'; readonly reason: string; readonly isQuiet?: boolean };

/** Says how much context a server gets that asks for some. The user sees the answer before the model does. */
export type ContextPolicy = (
  wanted: Exclude<SamplingContext, 'none'>,
  about: { readonly server: string },
) => SamplingContext | Promise<SamplingContext>;

/** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
export interface SamplingOptions {
  /** Absent: the person who allows the request types the result, or it is refused. */
  readonly model?: SamplingModel;
  /** Whether the model can use tools that a server sends along. */
  readonly tools?: boolean;
  /** Absent: no context, whatever the server asks for. */
  readonly includeContext?: ContextPolicy;
  /** Limits and changes requests before the user is asked; absent, every request is the user's to decide. */
  readonly admit?: (request: SamplingRequest, about: SamplingAsker) => SamplingAdmission | Promise<SamplingAdmission>;
}

interface Asking extends SamplingAsker {
  readonly asks: Asks;
  /** The calls of the conversation, those of this server alone or of every one. */
  context?(scope: Exclude<SamplingContext, 'none'>): readonly ContextEntry[];
  note?(details: JsonObject): void;
  from(what: string): Provenance;
  readonly waiting: AskOptions;
}

const RANK: Readonly<Record<SamplingContext, number>> = { none: 0, thisServer: 1, allServers: 2 };

/**
 * Asks the user, then the model, then the user again before the words go to the server. Rejects with `user-rejected`, the error of the
 * specification (-1), where the user says no at either point, where `admit` refuses, and where there is neither a model nor a typed result.
 */
export async function answerSampling(
  options: SamplingOptions,
  params: JsonObject,
  asking: Asking,
): Promise<CreateMessageResult> {
  const { asks, waiting } = asking;
  const allowed = await contextFor(options, params, asking.server);
  const wanted = contextIn(params);
  const what =
    wanted === allowed
      ? 'wants words of your model'
      : `wants words of your model, and context of the conversation (${wanted}), of which it gets ${allowed}`;
  if (wanted !== allowed) asking.note?.({ contextAskedFor: wanted, contextGiven: allowed });
  const asked: JsonObject = { ...params, includeContext: allowed };
  const { request, ...admitted } = await admittedBy(options, asked, { ...asking, what });
  const from = asking.from(what);
  const reason = [from.reason, ...(admitted.remarks ?? [])].join(' ');
  const { model: name } = admitted;
  const named = name !== undefined && { model: name };
  const answer = await asks.ask('sampling', { request, ...named }, { ...from, reason }, waiting);
  if (answer.action === 'deny') throw rejected();
  if (answer.result !== undefined) return answer.result as object as CreateMessageResult;
  if (options.model === undefined) throw rejected();
  const final = { ...(answer.request ?? request), ...withinBounds(answer.request ?? request, request, allowed) };
  const { model } = options;
  const result = await inSpan(
    'model',
    { name: 'sampling', server: asking.server, maxTokens: final.maxTokens },
    async (span) => {
      const given = await model(final as object as SamplingRequest, aboutOf(asking, contextIn(final)));
      span.set({ model: given.model, stopReason: given.stopReason });
      return given;
    },
  );
  const review = await asks.ask(
    'sampled',
    { request: final, result: asJson(result) },
    asking.from('is about to get words of your model'),
    waiting,
  );
  if (review.action === 'deny') throw rejected();
  return (review.result ?? result) as CreateMessageResult;
}

/** The request as `admit` lets it through, with no more context than was allowed. Rejects where it is refused. */
async function admittedBy(
  { admit }: SamplingOptions,
  asked: JsonObject,
  asking: Asking & { readonly what: string },
): Promise<{ readonly request: JsonObject; readonly model?: string; readonly remarks?: readonly string[] }> {
  const outcome = await admit?.(asked as object as SamplingRequest, askerOf(asking));
  if (outcome === undefined) return { request: asked };
  if (outcome.action === 'refuse') {
    const { reason, isQuiet } = outcome;
    const options = { ...asking.waiting, refused: reason };
    if (isQuiet !== true) await asking.asks.ask('sampling', { request: asked }, asking.from(asking.what), options);
    throw new ProtocolError('user-rejected', `The host refused the sampling request: ${reason}`);
  }
  const changed = asJson(outcome.request ?? asked);
  const context = lesser(contextIn(changed), contextIn(asked));
  return { ...outcome, request: { ...changed, includeContext: context } };
}

function askerOf({ server, call, signal }: Asking): SamplingAsker {
  return { server, signal, ...(call !== undefined && { call }) };
}

function aboutOf(asking: Asking, scope: SamplingContext): SamplingAbout {
  const context = scope === 'none' ? [] : (asking.context?.(scope) ?? []);
  return { ...askerOf(asking), context, note: (details) => asking.note?.(details) };
}

function contextIn({ includeContext }: JsonObject): SamplingContext {
  return includeContext === 'thisServer' || includeContext === 'allServers' ? includeContext : 'none';
}

/** The context that the policy gives, and never more than the server asked for. */
async function contextFor(options: SamplingOptions, params: JsonObject, server: string): Promise<SamplingContext> {
  const wanted = contextIn(params);
  if (wanted === 'none' || options.includeContext === undefined) return 'none';
  return lesser(contextIn({ includeContext: await options.includeContext(wanted, { server }) }), wanted);
}

/** An edit can take context and tokens away; more than was allowed and asked for it cannot give. */
function withinBounds(edited: JsonObject, request: JsonObject, allowed: SamplingContext): JsonObject {
  const tokens = Math.min(Number(edited['maxTokens'] ?? request['maxTokens']), Number(request['maxTokens']));
  return { includeContext: lesser(contextIn(edited), allowed), maxTokens: tokens };
}

function lesser(one: SamplingContext, other: SamplingContext): SamplingContext {
  return RANK[one] < RANK[other] ? one : other;
}

function rejected(): ProtocolError {
  return new ProtocolError('user-rejected', 'User rejected sampling request');
}
