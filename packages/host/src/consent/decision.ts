import type { Tool } from 'crosspoint/client';
import type { JsonObject } from '../values/json.ts';

/** The outcome of a rule. Where several match, `deny` comes before `ask`, and `ask` before `allow`. */
export type Effect = 'allow' | 'ask' | 'deny';

/** Everything that a host decides: a call of a tool, and what servers may do or get besides. */
export type Action = 'call' | 'start' | 'sample' | 'elicit' | 'roots' | 'read' | 'prompt';

/** The part of a subject that every action has. */
interface SubjectOf {
  /** The name of the server in the host. */
  readonly server: string;
  readonly arguments: JsonObject;
  /** Whether the annotations of this server may be believed. */
  readonly isTrusted: boolean;
  /** The other servers whose results the conversation holds: whose words may have led to this. */
  readonly influencedBy: readonly string[];
}

/** A call of a tool, before it is sent. */
export interface CallSubject extends SubjectOf {
  readonly action?: 'call';
  /** The definition as the server lists it now. */
  readonly tool: Tool;
  /** The digest of the command or address by which the server is reached. Approvals hold for that one alone. */
  readonly identity?: string;
}

/** Anything else that is decided. */
export interface OtherSubject extends SubjectOf {
  readonly action: Exclude<Action, 'call'>;
  /** `start`: the command or address. `read`: the URI. `prompt`: its name. `elicit`: `form`, or the address of the page. `sample`: the model, where it is known. `roots`: empty. */
  readonly name: string;
}

export type Subject = CallSubject | OtherSubject;

/** One thing that was looked at on the way to a decision, in order. */
export interface Reason {
  /** The thing that was looked at. `name` and `visibility` are those of the catalogue: why a tool is renamed or hidden. */
  readonly step:
    | 'server'
    | 'name'
    | 'visibility'
    | 'definition'
    | 'annotations'
    | 'rule'
    | 'flow'
    | 'approval'
    | 'default';
  /** One sentence for people. */
  readonly text: string;
  /** The effect that it asked for, where it had a say. */
  readonly effect?: Effect;
  /** The number of the rule in the policy, from 0. */
  readonly rule?: number;
}

/** The effect for a subject, and why. */
export interface Decision {
  readonly effect: Effect;
  readonly reasons: readonly Reason[];
  /** Whether a person sees the result before the model does. */
  readonly reviewsResult: boolean;
  /** Whether an approval counts for this one time only: `session` and `always` are not offered. */
  readonly everyTime?: boolean;
}
