import { ProtocolError, type CreateMessageResult, type SamplingMessage, type Tool } from 'crosspoint/client';
import type { Asks, AskOptions, Provenance } from '../inbox/item.ts';
import type { JsonObject } from '../values/json.ts';

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
 * Asks a model. `chooseModel` of `crosspoint/client` picks one by the preferences of the server.
 * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export type SamplingModel = (
  request: SamplingRequest,
  about: { readonly server: string; readonly signal: AbortSignal },
) => Promise<CreateMessageResult>;

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
}

interface Asking {
  readonly server: string;
  readonly asks: Asks;
  from(what: string): Provenance;
  readonly waiting: AskOptions;
  readonly signal: AbortSignal;
}

const RANK: Readonly<Record<SamplingContext, number>> = { none: 0, thisServer: 1, allServers: 2 };

/**
 * Asks the user, then the model, then the user again before the words go to the server. Rejects with `user-rejected`, the error of the
 * specification (-1), where the user says no at either point and where there is neither a model nor a typed result.
 */
export async function answerSampling(
  options: SamplingOptions,
  params: JsonObject,
  asking: Asking,
): Promise<CreateMessageResult> {
  const { server, asks, waiting, signal } = asking;
  const allowed = await contextFor(options, params, server);
  const request: JsonObject = { ...params, includeContext: allowed };
  const wanted = contextIn(params);
  const what =
    wanted === allowed
      ? 'wants words of your model'
      : `wants words of your model, and context of the conversation (${wanted}), of which it gets ${allowed}`;
  const answer = await asks.ask('sampling', { request }, asking.from(what), waiting);
  if (answer.action === 'deny') throw rejected();
  if (answer.result !== undefined) return answer.result as object as CreateMessageResult;
  if (options.model === undefined) throw rejected();
  const final = { ...(answer.request ?? request), ...withinBounds(answer.request ?? request, request, allowed) };
  const result = await options.model(final as object as SamplingRequest, { server, signal });
  const review = await asks.ask(
    'sampled',
    { request: final, result: result as object as JsonObject },
    asking.from('is about to get words of your model'),
    waiting,
  );
  if (review.action === 'deny') throw rejected();
  return (review.result ?? result) as CreateMessageResult;
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
