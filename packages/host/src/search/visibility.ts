import type { Tool } from 'crosspoint/client';
import type { CatalogueTool } from '../catalogue/catalogue.ts';
import type { ApprovalState } from '../consent/approval.ts';
import { decide } from '../consent/decide.ts';
import type { CallSubject, Effect } from '../consent/decision.ts';
import type { Policy, Rule } from '../consent/policy.ts';
import type { ServerEntry } from '../config/server-entry.ts';

/** The part of a `Host` that says which tools the model may be shown. */
export interface ConsentingHost {
  readonly policy: Policy;
  readonly approvals: { look(subject: CallSubject): Promise<ApprovalState> };
  readonly servers: { get(name: string): { readonly entry: ServerEntry } | undefined };
}

/** Whether tools may be found: not those that the policy denies whatever they are called with, and not definitions that wait to be accepted. */
export class Visibility {
  readonly #host: ConsentingHost;
  #relaxed: Relaxed | undefined;

  constructor(host: ConsentingHost) {
    this.#host = host;
  }

  /** The mildest effect that the policy has for a call of the tool, before approvals and pins. */
  effectOf(found: CatalogueTool): Effect {
    const { policy, effects } = this.#mildest();
    const known = effects.get(found);
    if (known !== undefined) return known;
    const { effect } = decide(policy, this.#subject(found));
    effects.set(found, effect);
    return effect;
  }

  async isVisible(found: CatalogueTool): Promise<boolean> {
    if (!found.isForModel || this.effectOf(found) === 'deny') return false;
    if (this.#host.policy.pin === 'off') return true;
    const { seen } = await this.#host.approvals.look(this.#subject(found));
    return seen === 'first' || seen === 'same';
  }

  #subject({ server, tool }: { readonly server: string; readonly tool: Tool }): CallSubject {
    const entry = this.#host.servers.get(server)?.entry;
    const isTrusted = entry?.isTrusted === true && entry.origin.scope !== 'project';
    return { server, tool, arguments: {}, isTrusted, influencedBy: [] };
  }

  #mildest(): Relaxed {
    const { policy } = this.#host;
    if (this.#relaxed?.of === policy) return this.#relaxed;
    const rules = (policy.rules ?? []).flatMap(mildest);
    return (this.#relaxed = { of: policy, policy: { ...policy, rules }, effects: new WeakMap() });
  }
}

/** A policy where arguments and flow are the mildest, and what came of it. A tool that is listed again is another object. */
interface Relaxed {
  readonly of: Policy;
  readonly policy: Policy;
  readonly effects: WeakMap<CatalogueTool, Effect>;
}

/** A rule as it counts where arguments and flow are the mildest: one that denies some calls does not match, one that allows some does. */
function mildest(rule: Rule): Rule[] {
  const { arguments: tests, influencedBy, ...rest } = rule;
  if (tests === undefined && influencedBy === undefined) return [rule];
  return rule.effect === 'deny' ? [] : [rest];
}
