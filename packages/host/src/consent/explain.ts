import type { ApprovalState } from './approval.ts';
import { decide } from './decide.ts';
import type { Decision, Effect, Reason, Subject } from './decision.ts';
import type { Policy } from './policy.ts';

export interface ExplainOptions {
  /** How the tool compares with what was seen and approved: `Approvals.look`. */
  readonly state?: ApprovalState;
  /** Reasons of others: the state and the configuration of the server, why a tool is renamed or hidden. */
  readonly facts?: readonly Reason[];
}

/** A decision with every reason for it, in the order in which things are looked at. */
export interface Explanation {
  readonly effect: Effect;
  readonly decision: Decision;
  readonly reasons: readonly Reason[];
}

const ORDER: readonly Reason['step'][] = [
  'server',
  'name',
  'visibility',
  'definition',
  'annotations',
  'rule',
  'flow',
  'default',
  'approval',
];

/** Says why something is allowed, asked or denied, and with `facts` why it is hidden or renamed. A fact with an effect counts as a rule does. */
export function explain(policy: Policy, subject: Subject, { state, facts = [] }: ExplainOptions = {}): Explanation {
  const decision = decide(policy, subject, state);
  const reasons = [...facts, ...decision.reasons]
    .map((reason, index) => ({ reason, index }))
    .sort((a, b) => ORDER.indexOf(a.reason.step) - ORDER.indexOf(b.reason.step) || a.index - b.index)
    .map(({ reason }) => reason);
  const isDenied = facts.some(({ effect }) => effect === 'deny');
  return { effect: isDenied ? 'deny' : decision.effect, decision, reasons };
}

const HEADINGS: Readonly<Record<Effect, string>> = {
  allow: 'Allowed.',
  ask: 'The user is asked.',
  deny: 'Denied.',
};

/** An explanation as plain text: the outcome, then a numbered line for each reason. */
export function explanationText({ effect, decision, reasons }: Explanation): string {
  const more = [
    ...(decision.everyTime === true && effect === 'ask' ? ['Every time: no approval counts for longer.'] : []),
    ...(decision.reviewsResult ? ['The result is reviewed before the model sees it.'] : []),
  ];
  const lines = reasons.map(
    ({ step, text, effect: say }, index) => `${index + 1}. ${step}: ${text}${say === undefined ? '' : ` [${say}]`}`,
  );
  return [[HEADINGS[effect], ...more].join(' '), ...lines].join('\n');
}
