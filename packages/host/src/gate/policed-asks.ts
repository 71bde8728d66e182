import type { AuditWriter } from '../audit/event.ts';
import { decide } from '../consent/decide.ts';
import { decisionEvent } from '../consent/decision-event.ts';
import type { OtherSubject } from '../consent/decision.ts';
import type { Policy } from '../consent/policy.ts';
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
    const subject = this.#subject(kind, question, from);
    if (subject !== undefined) {
      const decision = decide(this.#options.policy(), subject);
      this.#options.audit.write(decisionEvent(subject, decision, from.call && { call: from.call.id }));
      const table: Refusals = decision.effect === 'deny' ? REFUSALS : decision.effect === 'allow' ? PERMISSIONS : {};
      const settled = table[kind];
      if (settled !== undefined) return settled;
    }
    return this.#options.asks.ask(kind, question, from, options);
  }

  #subject(kind: QuestionKind, question: object, { server }: Provenance): OtherSubject | undefined {
    if (server === undefined) return undefined;
    const asks = ACTIONS[kind];
    if (asks === undefined) return undefined;
    const name = kind === 'url' ? (question as Questions['url']['question']).url : asks === 'elicit' ? 'form' : '';
    return { action: asks, server, name, arguments: {}, isTrusted: this.#options.isTrusted(server), influencedBy: [] };
  }
}
