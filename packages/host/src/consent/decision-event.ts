import type { AuditEvent } from '../audit/event.ts';
import { isObject, type Json, type JsonObject } from '../values/json.ts';
import type { ApprovalState } from './approval.ts';
import { isCall } from './decide.ts';
import type { Decision, Effect, Subject } from './decision.ts';
import { definitionOf } from './definition.ts';
import { ACTIONS, EFFECTS } from './policy.ts';

const MAX_INFLUENCES = 100;
const MAX_FLAGS = 20;

export interface DecisionFacts {
  readonly state?: ApprovalState | undefined;
  /** The id of the call. */
  readonly call?: string;
  /** Whether the program itself has chosen the server, so that its start is allowed where no rule says otherwise. */
  readonly isOwn?: boolean;
}

/** The event of a decision, with everything that another policy would need to decide the same thing again. */
export function decisionEvent(
  subject: Subject,
  decision: Decision,
  { state, call, isOwn }: DecisionFacts = {},
): AuditEvent {
  const { server, isTrusted, influencedBy } = subject;
  const details: JsonObject = {
    action: subject.action ?? 'call',
    name: isCall(subject) ? subject.tool.name : subject.name,
    ...(isCall(subject) && {
      definition: definitionOf(subject.tool)?.digest,
      annotations: subject.tool.annotations as JsonObject | undefined,
      flags: flagsOf(subject.tool._meta as JsonObject | undefined),
    }),
    arguments: subject.arguments,
    isTrusted,
    influencedBy: influencedBy.slice(0, MAX_INFLUENCES),
    ...(state && { seen: state.seen, ...(state.approval && { approval: { ...state.approval } }) }),
    ...(isOwn === true && { isOwn }),
    effect: decision.effect,
    reviewsResult: decision.reviewsResult,
    rules: decision.reasons.flatMap(({ rule }) => rule ?? []),
  };
  return { type: 'decision', server, ...(call !== undefined && { call }), details };
}

/** Members of `_meta` that are `true`: a policy may ask because of them. */
function flagsOf(meta: JsonObject | undefined): readonly string[] {
  return Object.keys(meta ?? {})
    .filter((key) => meta?.[key] === true)
    .slice(0, MAX_FLAGS);
}

/** A decision as the log has it. */
export interface RecordedDecision {
  readonly subject: Subject;
  readonly state: ApprovalState | undefined;
  /** Whether the program itself had chosen the server. */
  readonly isOwn: boolean;
  readonly effect: Effect;
  readonly reviewsResult: boolean;
}

/** Reads the event of a decision back; `undefined` where it lacks something, as after it was cut. */
export function readDecision({ server, details }: AuditEvent): RecordedDecision | undefined {
  const { action, name, arguments: given, isTrusted, influencedBy, effect } = details;
  if (server === undefined || typeof name !== 'string' || !isObject(given) || typeof isTrusted !== 'boolean')
    return undefined;
  if (!isOneOf(ACTIONS, action) || !isOneOf(EFFECTS, effect) || !isTexts(influencedBy)) return undefined;
  const common = { server, arguments: given, isTrusted, influencedBy };
  const subject: Subject = action === 'call' ? { ...common, tool: toolOf(name, details) } : { ...common, action, name };
  const isOwn = details['isOwn'] === true;
  return { subject, state: stateOf(details), isOwn, effect, reviewsResult: details['reviewsResult'] === true };
}

function toolOf(
  name: string,
  { annotations, flags }: JsonObject,
): { name: string; inputSchema: {}; annotations: {}; _meta: {} } {
  return {
    name,
    inputSchema: {},
    annotations: isObject(annotations) ? annotations : {},
    _meta: Object.fromEntries((isTexts(flags) ? flags : []).map((flag) => [flag, true])),
  };
}

function stateOf({ seen, approval }: JsonObject): ApprovalState | undefined {
  if (!isOneOf(['first', 'same', 'changed', 'new', 'unclear'] as const, seen)) return undefined;
  const given = isObject(approval) ? approval : {};
  const { for: span, at } = given;
  const isGiven = isOneOf(['session', 'always'] as const, span) && typeof at === 'string';
  return { seen, changes: [], ...(isGiven && { approval: { for: span, at } }) };
}

function isOneOf<T extends string>(words: readonly T[], value: Json | undefined): value is T {
  return (words as readonly (Json | undefined)[]).includes(value);
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
