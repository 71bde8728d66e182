import type { Tool } from 'crosspoint/client';
import type { JsonObject } from '../values/json.ts';

/** What a rule does with a call. Where several match, `deny` comes before `ask`, and `ask` before `allow`. */
export type Effect = 'allow' | 'ask' | 'deny';

/** A call of a tool, before it is sent. */
export interface CallSubject {
  /** The name of the server in the host. */
  readonly server: string;
  /** The definition as the server lists it now. */
  readonly tool: Tool;
  readonly arguments: JsonObject;
  /** Whether the annotations of this server may be believed. */
  readonly isTrusted: boolean;
  /** The other servers whose results the conversation holds: whose words may have led to this call. */
  readonly influencedBy: readonly string[];
}

/** One thing that was looked at on the way to a decision, in order. */
export interface Reason {
  /** What was looked at: the server's trust, a rule, an approval, the default, … */
  readonly step: 'server' | 'definition' | 'annotations' | 'rule' | 'flow' | 'approval' | 'default';
  /** One sentence for people. */
  readonly text: string;
  /** What it asked for, where it had a say. */
  readonly effect?: Effect;
  /** The number of the rule in the policy, from 0. */
  readonly rule?: number;
}

/** What is to be done with a call, and why. */
export interface Decision {
  readonly effect: Effect;
  readonly reasons: readonly Reason[];
  /** Whether a person sees the result before the model does. */
  readonly reviewsResult: boolean;
}
