import type { Json } from '../values/json.ts';
import type { Action, Effect } from './decision.ts';

/** A test of one value. Exactly one member is given, or `min` and `max` together. */
export interface ValueTest {
  readonly equals?: Json;
  readonly in?: readonly Json[];
  /** A text of this form; `*` stands for any characters. */
  readonly glob?: string;
  /** An absolute path at or below this folder, after `.` and `..` are resolved. Links are not followed. */
  readonly within?: string;
  /** The least number. */
  readonly min?: number;
  /** The greatest number. */
  readonly max?: number;
  readonly absent?: true;
}

/** Hints of a tool as a rule names them. */
export interface AnnotationTest {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** One rule. It matches when every member that it has does. */
export interface Rule {
  readonly effect: Effect;
  /** `call` when absent. */
  readonly action?: Action;
  /** Patterns of names of servers; every server when absent. */
  readonly server?: string | readonly string[];
  /** Patterns of the tool's own name, for calls. */
  readonly tool?: string | readonly string[];
  /** Patterns of the name of anything but a tool; see `OtherSubject`. */
  readonly name?: string | readonly string[];
  /** Tests by JSON pointer. A step `*` stands for every member or item. With `sample`: `/step` (`request` or `answer`), `/maxTokens`, `/includeContext`, `/tools/*`. */
  readonly arguments?: Readonly<Record<string, ValueTest>>;
  readonly annotations?: AnnotationTest;
  /** With `deny` and `ask`: a result of one of these servers is in the conversation. With `allow`: of no other than these. */
  readonly influencedBy?: string | readonly string[];
  /** A person sees the result before the model does; with `sample`, the words of the model before the server does. */
  readonly reviewResult?: boolean;
  /** With `ask`: no approval counts for longer than this one time. */
  readonly everyTime?: boolean;
  /** One sentence for people. */
  readonly reason?: string;
}

/** The treatment of a tool that a rule allows and whose definition is not the one that was first seen. */
export type PinMode = 'ask' | 'deny' | 'off';

/** Rules as data. `parsePolicy` reads one from a file. */
export interface Policy {
  /** The effect where no rule matches; `ask` when absent. One for all, or by action. */
  readonly default?: Effect | Readonly<Partial<Record<Action, Effect>>>;
  /** `ask` when absent. */
  readonly pin?: PinMode;
  /** Members of a tool's `_meta` that make the host ask every time where they are `true`, beside `anthropic/requiresUserInteraction`. */
  readonly askFlags?: readonly string[];
  readonly rules?: readonly Rule[];
}

export const EFFECTS: readonly Effect[] = ['allow', 'ask', 'deny'];
export const ACTIONS: readonly Action[] = ['call', 'start', 'sample', 'elicit', 'roots', 'read', 'prompt'];

/** The stronger of two effects: `deny` before `ask` before `allow`. */
export function stronger(one: Effect, other: Effect): Effect {
  return EFFECTS.indexOf(one) >= EFFECTS.indexOf(other) ? one : other;
}

/** The effect of a policy where no rule matches. */
export function defaultEffect({ default: given = 'ask' }: Policy, action: Action): Effect {
  return typeof given === 'string' ? given : (given[action] ?? 'ask');
}

/** A member that is one text or a list of them, as a list. */
export function listOf(member: string | readonly string[]): readonly string[] {
  return typeof member === 'string' ? [member] : member;
}

/** The policy for servers that the program has chosen itself: the default for starts is for those of files. */
export function ownPolicy(policy: Policy): Policy {
  const others = typeof policy.default === 'object' ? policy.default : {};
  return { ...policy, default: { ...others, start: 'allow' } };
}
