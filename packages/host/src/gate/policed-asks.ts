import type { AuditWriter } from '../audit/event.ts';
import { decide } from '../consent/decide.ts';
import { decisionEvent } from '../consent/decision-event.ts';
import type { OtherSubject } from '../consent/decision.ts';
import type { Policy } from '../consent/policy.ts';
import { isObject, type Json, type JsonObject } from '../values/json.ts';
import type { AnswerTo, AskOptions, Asks, Provenance, QuestionKind, Questions } from '../inbox/item.ts';

export interface PolicedAsksOptions {
  readonly asks: Asks;
  readonly audit: AuditWriter;
  policy(): Policy;
  isTrusted(server: string): boolean;
}

type Refusals = { readonly [Kind in QuestionKind]?: AnswerTo<Kind> };

/** The answers where a rule denies a question of a server. */
const REFUSALS = {
  form: { action: 'decline' },
  url: { action: 'decline' },
  sampling: { action: 'deny', message: 'A rule denies it.' },
  sampled: { action: 'deny', message: 'A rule denies it.' },
  roots: { action: 'deny' },
} as const satisfies Refusals;

/** The answers where a rule allows it. Only a person can fill in a form or look at a page, so a rule cannot answer those. */
const PERMISSIONS = {
  sampling: { action: 'allow' },
  sampled: { action: 'allow' },
  roots: { action: 'allow' },
} as const satisfies Refusals;

/** The actions of a policy that questions of servers are. */
const ACTIONS: { readonly [Kind in QuestionKind]?: OtherSubject['action'] } = {
  form: 'elicit',
  url: 'elicit',
  sampling: 'sample',
  sampled: 'sample',
  roots: 'roots',
};

/** Questions of servers, held against the policy before anybody is asked. Without a rule that matches, the user is asked. */
export class PolicedAsks implements Asks {
  readonly #options: PolicedAsksOptions;

  constructor(options: PolicedAsksOptions) {
    this.#options = options;
  }

  async ask<K extends QuestionKind>(
    kind: K,
    question: Questions[K]['question'],
    from: Provenance,
    options?: AskOptions,
  ): Promise<AnswerTo<K>> {
    const subject = options?.refused === undefined ? this.#subject(kind, question, from) : undefined;
    if (subject !== undefined) {
      const decision = decide(this.#options.policy(), subject);
      this.#options.audit.write(decisionEvent(subject, decision, from.call && { call: from.call.id }));
      const isReviewed = kind === 'sampled' && decision.reviewsResult;
      const table: Refusals =
        decision.effect === 'deny' ? REFUSALS : decision.effect === 'allow' && !isReviewed ? PERMISSIONS : {};
      const settled = table[kind];
      if (settled !== undefined) return settled;
    }
    return this.#options.asks.ask(kind, question, from, options);
  }

  #subject(kind: QuestionKind, question: object, { server }: Provenance): OtherSubject | undefined {
    if (server === undefined) return undefined;
    const asks = ACTIONS[kind];
    if (asks === undefined) return undefined;
    const isTrusted = this.#options.isTrusted(server);
    return { action: asks, server, ...namedIn(kind, question), isTrusted, influencedBy: [] };
  }
}

/** The name and the arguments that rules see. */
function namedIn(kind: QuestionKind, question: object): Pick<OtherSubject, 'name' | 'arguments'> {
  if (kind === 'url') return { name: (question as Questions['url']['question']).url, arguments: {} };
  if (kind === 'sampling') {
    const { request, model } = question as Questions['sampling']['question'];
    return { name: model ?? '', arguments: samplingFacts('request', request) };
  }
  if (kind === 'sampled') {
    const { request, result } = question as Questions['sampled']['question'];
    const { model } = result;
    return { name: typeof model === 'string' ? model : '', arguments: samplingFacts('answer', request) };
  }
  return { name: kind === 'form' ? 'form' : '', arguments: {} };
}

/** The facts of a request for a model that rules can test; its words are not among them. */
function samplingFacts(step: 'request' | 'answer', request: JsonObject): JsonObject {
  const { maxTokens, includeContext, tools } = request;
  return {
    step,
    ...(maxTokens !== undefined && { maxTokens }),
    includeContext: includeContext ?? 'none',
    tools: Array.isArray(tools) ? tools.flatMap((tool: Json) => (isObject(tool) ? (tool['name'] ?? []) : [])) : [],
  };
}
