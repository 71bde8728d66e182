import { SkillsClient, SkillVerificationError } from '@crosspoint/skills/client';
import { withClient } from './connect.mjs';

const NAME = 'pdf-processing';

async function find(client) {
  const skills = new SkillsClient(client);
  const { skills: entries } = await skills.list();
  return { skills, entry: entries.find(({ frontmatter }) => frontmatter.name === NAME) };
}

/** The skill has to be refused for this reason, before anything else of it is read. */
const refusedFor = (reason) => (url) =>
  withClient(url, {}, async (client) => {
    const { skills, entry } = await find(client);
    try {
      await skills.read(entry);
      await skills.read(entry, 'references/FORMS.md');
    } catch (error) {
      if (error instanceof SkillVerificationError && error.reason === reason) return;
      throw error;
    }
    throw new Error(`The skill was not refused for its ${reason}.`);
  });

export const playSkills = {
  'sep-2640-client-no-prefetch': (url) => withClient(url, {}, find),
  'sep-2640-client-verify-digest': refusedFor('digest'),
  'sep-2640-client-verify-size': refusedFor('size'),
  'sep-2640-client-verify-frontmatter': refusedFor('frontmatter'),
};
