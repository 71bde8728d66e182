/** The check that a file of a skill failed. */
export type SkillVerificationReason = 'unlisted' | 'limit' | 'size' | 'digest' | 'frontmatter';

/**
 * A file of a skill does not match its entry and must not be used; if it is the `SKILL.md`, neither must the skill. The skill may have
 * changed: `get` returns its present entry, which the user has to approve again.
 */
export class SkillVerificationError extends Error {
  override name = 'SkillVerificationError';
  readonly reason: SkillVerificationReason;
  readonly uri: string;
  /** For `frontmatter`: the fields that differ. */
  readonly differences: readonly string[];

  constructor(reason: SkillVerificationReason, uri: string, message: string, differences: readonly string[] = []) {
    super(message);
    this.reason = reason;
    this.uri = uri;
    this.differences = differences;
  }
}
