/** Skills (SEP-2640) on a server. */
export { SkillCatalog, SkillCatalogError, type SkillCatalogOptions } from './skill-catalog.ts';
export { SkillsExtension, type SkillsOptions } from './skills-extension.ts';
export { memorySkillFiles, type SkillFileEntry, type SkillFiles } from './skill-files.ts';
export type { SkillSource } from './skill-source.ts';
export {
  DIRECTORY_MIME_TYPE,
  SKILL_LIMITS,
  type GetSkillResult,
  type ListSkillsResult,
  type Skill,
  type SkillFrontmatter,
} from '../extension/skill.ts';
export { SKILLS_EXTENSION_ID, skillsExtension } from '../extension/skills-extension.ts';
