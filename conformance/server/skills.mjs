import { memorySkillFiles, SkillCatalog } from '@crosspoint/skills/server';

const FILES = {
  'pdf-processing/SKILL.md': `---
name: pdf-processing
description: Extract, fill, and assemble PDF documents
license: Apache-2.0
metadata:
  version: "2.1"
  tags: [pdf, forms]
---

# PDF processing

For forms, read references/FORMS.md.
`,
  'pdf-processing/references/FORMS.md': 'Fill the fields by their names.\n',
  'pdf-processing/scripts/extract.py': 'print("text")\n',
  'release-notes/SKILL.md': `---
name: release-notes
description: >-
  Write release notes
  from a list of changes
---

One line for each change.
`,
};

/** The skills that the scenarios read. A page holds one, so that there are several pages. */
export const skills = await SkillCatalog.load(memorySkillFiles(FILES), { pageSize: 1 });
