import type { DefinitionChange } from '../inbox/item.ts';

/** How long an approval holds. */
export type ApprovalSpan = 'once' | 'session' | 'always';

/** An approval that is kept: this tool of this server, as it was defined then. */
export interface Approval {
  /** Names it for `revoke`. */
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly for: Exclude<ApprovalSpan, 'once'>;
  /** The digest of the definition that was approved. */
  readonly definition: string;
  /** The digest of the arguments, where it holds for these alone. */
  readonly arguments?: string;
  /** When it was given, as ISO 8601. */
  readonly at: string;
}

/** The knowledge of one call: how its tool compares with what was seen and approved before. */
export interface ApprovalState {
  /**
   * `first`: nothing of the server was seen before. `same`: the definition that was first seen, or accepted since. `changed`: another one.
   * `new`: a tool that joined after its server was first seen. `unclear`: nested too deeply to be compared.
   */
  readonly seen: 'first' | 'same' | 'changed' | 'new' | 'unclear';
  /** The differences to the definition that was seen or approved. */
  readonly changes: readonly DefinitionChange[];
  /** The approval that covers the call. */
  readonly approval?: Pick<Approval, 'for' | 'at'>;
  /** One sentence on an approval that does not count any more. */
  readonly lapsed?: string;
}
