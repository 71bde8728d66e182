import type { Json } from '../values/json.ts';
import { visibleLine } from '../values/visible-text.ts';
import { describeHints, matchesHints } from './annotations.ts';
import type { ApprovalState } from './approval.ts';
import type { CallSubject, Decision, Effect, Reason, Subject } from './decision.ts';
import { MAX_GLOB_TEXT, matchesGlob } from '../values/glob.ts';
import { matchesArguments, type Guard } from './matching.ts';
import { defaultEffect, listOf, stronger, type Policy, type Rule } from './policy.ts';

/** The member of a tool's `_meta` by which a server says that its user must be asked every time. Any server may raise the guard. */
const ASK_FLAG = 'anthropic/requiresUserInteraction';
const SHOWN = 200;
const VERBS: Readonly<Record<Effect, string>> = { allow: 'allows', ask: 'asks', deny: 'denies' };

/**
 * Decides about a subject. Of the rules that match, `deny` comes before `ask` and `ask` before `allow`, whatever their order. An approval answers
 * an `ask`, never a `deny`.
 *
 * ```ts
 * import { decide, parsePolicy } from '@crosspoint/host';
 *
 * const policy = parsePolicy({ rules: [{ effect: 'deny', tool: 'delete_*' }] });
 * const tool = { name: 'delete_all', inputSchema: { type: 'object' } };
 * const { effect } = decide(policy, { server: 'files', tool, arguments: {}, isTrusted: true, influencedBy: [] });
 * ```
 */
export function decide(policy: Policy, subject: Subject, state?: ApprovalState): Decision {
  return decideKnowing(policy, subject, { state });
}

/** The knowledge that a decision is made with, beside its subject. */
export interface Knowledge {
  readonly state?: ApprovalState | undefined;
  /** Whether a value of the arguments stands for one that is not known. */
  readonly isUnknown?: (value: Json) => boolean;
  /** Whether a value that is not known passes the test of a rule. */
  readonly unknownMatches?: (rule: Rule, guard: Guard) => boolean;
}

/** `decide` where some values may be unknown. */
export function decideKnowing(policy: Policy, subject: Subject, knowledge: Knowledge): Decision {
  const { state } = knowledge;
  const course: Course = { effect: 'allow', everyTime: false, reviews: false, reasons: [] };
  course.reasons.push(trustReason(subject));
  const pinned = isCall(subject) ? pinReason(policy, state) : undefined;
  if (isCall(subject)) {
    if (pinned) course.reasons.push(pinned);
    course.reasons.push({ step: 'annotations', text: describeHints(subject.tool, subject.isTrusted) });
  }
  const rules = matchingRules(policy, subject, knowledge);
  for (const { rule, number } of rules.filter(({ counts }) => counts)) {
    course.reasons.push(ruleReason(rule, number));
    course.effect = stronger(course.effect, rule.effect);
    course.everyTime ||= rule.everyTime === true;
  }
  if (!rules.some(({ isCertain }) => isCertain)) byDefault(course, defaultEffect(policy, subject.action ?? 'call'));
  course.reviews = rules.some(({ rule }) => rule.reviewResult === true);
  raise(course, policy, subject, pinned);
  approve(course, state);
  const { effect, reasons, reviews, everyTime } = course;
  return { effect, reasons, reviewsResult: reviews, ...(everyTime && { everyTime }) };
}

interface Course {
  effect: Effect;
  everyTime: boolean;
  reviews: boolean;
  readonly reasons: Reason[];
}

/** The default counts unless a rule certainly speaks about the subject: doubt never puts a milder rule in its place. */
function byDefault(course: Course, effect: Effect): void {
  const isAlone = course.reasons.every(({ rule }) => rule === undefined);
  course.effect = isAlone ? effect : stronger(course.effect, effect);
  const why = isAlone ? 'No rule matches' : 'The rules that match can only raise the guard';
  course.reasons.push({ step: 'default', text: `${why}; the default ${VERBS[effect]}.`, effect });
}

interface Matched {
  readonly rule: Rule;
  readonly number: number;
  /** Whether its effect counts; otherwise only its `reviewResult` does. */
  readonly counts: boolean;
  /** Whether it takes the place of the default. */
  readonly isCertain: boolean;
}

function matchingRules(policy: Policy, subject: Subject, knowledge: Knowledge): readonly Matched[] {
  return (policy.rules ?? []).flatMap((rule, number) => {
    const isPossible = matches(rule, subject, { guard: 'raises', ...knowledge });
    const isSure = matches(rule, subject, { guard: 'lowers', ...knowledge });
    const counts = rule.effect === 'allow' ? isSure : isPossible;
    // A rule that asks or denies because of a flow only raises the guard: more words of others make nothing milder.
    const isCertain = counts && isSure && (rule.effect === 'allow' || rule.influencedBy === undefined);
    // To review a result is to raise the guard, also where the rule allows the call.
    return counts || (isPossible && rule.reviewResult === true) ? [{ rule, number, counts, isCertain }] : [];
  });
}

function matches(rule: Rule, subject: Subject, options: Knowledge & { readonly guard: Guard }): boolean {
  const { guard, isUnknown } = options;
  if ((rule.action ?? 'call') !== (subject.action ?? 'call')) return false;
  if (rule.server !== undefined && !matchesAny(rule.server, subject.server, guard)) return false;
  if (isCall(subject)) {
    if (rule.tool !== undefined && !matchesAny(rule.tool, subject.tool.name, guard)) return false;
    if (rule.annotations !== undefined && !matchesHints(rule.annotations, subject, guard)) return false;
  } else if (rule.name !== undefined && !matchesAny(rule.name, subject.name, guard)) return false;
  if (rule.influencedBy !== undefined && !matchesFlow(rule, subject, guard)) return false;
  const unknownMatches = options.unknownMatches?.(rule, guard) ?? guard === 'raises';
  const found = { guard, unknownMatches, ...(isUnknown && { isUnknown }) };
  return rule.arguments === undefined || matchesArguments(subject.arguments, rule.arguments, found);
}

function matchesAny(patterns: string | readonly string[], text: string, guard: Guard): boolean {
  if (text.length > MAX_GLOB_TEXT) return guard === 'raises';
  return listOf(patterns).some((pattern) => matchesGlob(pattern, text));
}

/** Results of the subject's own server are no flow from another one. A rule that allows also matches where nobody else was heard. */
function matchesFlow({ effect, influencedBy = [] }: Rule, subject: Subject, guard: Guard): boolean {
  const others = subject.influencedBy.filter((name) => name !== subject.server);
  const isNamed = (name: string): boolean => matchesAny(influencedBy, name, guard);
  if (others.length === 0) return effect === 'allow';
  return guard === 'raises' ? others.some(isNamed) : others.every(isNamed);
}

function trustReason({ server, isTrusted }: Subject): Reason {
  const name = shown(server);
  return isTrusted
    ? { step: 'server', text: `The server ${name} is trusted.` }
    : { step: 'server', text: `The server ${name} is not trusted: its annotations can only raise the guard.` };
}

function ruleReason({ effect, reason, influencedBy }: Rule, number: number): Reason {
  const text = `Rule ${number} ${VERBS[effect]}${reason === undefined ? '.' : `: ${visibleLine(reason)}`}`;
  return { step: influencedBy === undefined ? 'rule' : 'flow', text, effect, rule: number };
}

/** The say of a definition that is not the one first seen; without effect where it is. */
function pinReason({ pin = 'ask' }: Policy, state: ApprovalState | undefined): Reason | undefined {
  if (state === undefined) return undefined;
  const text = SEEN[state.seen](state);
  if (state.seen === 'first' || state.seen === 'same') return { step: 'definition', text };
  return { step: 'definition', text, ...(pin !== 'off' && { effect: pin }) };
}

const SEEN: Readonly<Record<ApprovalState['seen'], (state: ApprovalState) => string>> = {
  first: () => 'The server is seen for the first time.',
  same: () => 'The definition is the one that was seen before.',
  changed: ({ changes }) => `The definition has changed since it was seen or approved: ${changedPlaces(changes)}.`,
  new: () => 'The tool joined after its server was first seen.',
  unclear: () => 'The definition is nested too deeply to be compared with what was seen before.',
};

const PLACES = 5;

function changedPlaces(changes: ApprovalState['changes']): string {
  const places = changes.slice(0, PLACES).map(({ path }) => (path === '' ? 'all of it' : shown(path)));
  return `${places.join(', ')}${changes.length > PLACES ? ` and ${changes.length - PLACES} more` : ''}`;
}

/** Makes the course stricter for a changed definition and for a tool that wants its user asked. */
function raise(course: Course, policy: Policy, subject: Subject, pinned: Reason | undefined): void {
  if (!isCall(subject)) return;
  if (pinned?.effect !== undefined) course.effect = stronger(course.effect, pinned.effect);
  const flag = askFlagOf(policy, subject);
  if (flag === undefined) return;
  course.effect = stronger(course.effect, 'ask');
  course.everyTime = true;
  const text = `The tool says by ${shown(flag)} that its user is asked every time.`;
  course.reasons.push({ step: 'annotations', text, effect: 'ask' });
}

function askFlagOf({ askFlags = [] }: Policy, { tool }: CallSubject): string | undefined {
  const meta = tool._meta ?? {};
  return [ASK_FLAG, ...askFlags].find((flag) => Object.hasOwn(meta, flag) && meta[flag] === true);
}

function approve(course: Course, state: ApprovalState | undefined): void {
  if (state?.lapsed !== undefined) course.reasons.push({ step: 'approval', text: state.lapsed });
  const approval = state?.approval;
  if (approval === undefined) return;
  const span = approval.for === 'always' ? 'for always' : `for this ${approval.for}`;
  const given = `An approval ${span} was given at ${approval.at}`;
  if (course.effect === 'ask' && !course.everyTime) {
    course.effect = 'allow';
    course.reasons.push({ step: 'approval', text: `${given}.`, effect: 'allow' });
  } else if (course.effect !== 'allow')
    course.reasons.push({ step: 'approval', text: `${given}, which does not count here.` });
}

/** Whether a subject is a call of a tool. */
export function isCall(subject: Subject): subject is CallSubject {
  return subject.action === undefined || subject.action === 'call';
}

function shown(text: string): string {
  return visibleLine(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}
