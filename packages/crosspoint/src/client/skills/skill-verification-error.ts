/** What a file of a skill failed on. */
export type SkillVerificationReason = 'unlisted' | 'limit' | 'size' | 'digest' | 'frontmatter';

/**
 * A file of a skill is not what the entry of the skill says it is, and must not be used; when it is the `SKILL.md`, neither must the skill.
 * The skill may have changed since: `get` gives its present entry, which the user has then to approve anew.
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
