/** Skills (SEP-2640) of a server. */
export { approvalKey, SkillsClient, type SkillListing, type SkillsClientOptions } from './skills-client.ts';
export { SkillVerificationError, type SkillVerificationReason } from './skill-verification-error.ts';
export type { SkillFile } from './verify-file.ts';
export {
  DIRECTORY_MIME_TYPE,
  SKILL_LIMITS,
  type GetSkillResult,
  type ListSkillsResult,
  type Skill,
  type SkillFrontmatter,
} from '../extension/skill.ts';
export { SKILLS_EXTENSION_ID, skillsExtension } from '../extension/skills-extension.ts';
