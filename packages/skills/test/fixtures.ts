export const PDF_MANIFEST = `---
name: pdf-processing
description: Extract, fill, and assemble PDF documents
metadata:
  version: "2.1"
allowed-tools: Bash(pdf:*) Read
---

# PDF processing
`;

/** Two skills, one of them with files and a further skill inside. */
export function skillFiles(): Record<string, string | Uint8Array<ArrayBuffer>> {
  return {
    'pdf-processing/SKILL.md': PDF_MANIFEST,
    'pdf-processing/references/FORMS.md': '\uFEFFFill the fields.\r\n',
    'pdf-processing/references/deep/ümlaut name.txt': 'x',
    'pdf-processing/logo.png': new Uint8Array([137, 80, 78, 71, 255, 0]),
    'pdf-processing/.env': 'SECRET=1',
    'pdf-processing/merging/SKILL.md': '---\nname: merging\ndescription: Merges documents\n---\n',
    'release-notes/SKILL.md': '---\nname: release-notes\ndescription: Writes notes\n---\nBody',
    'readme.md': 'no skill',
  };
}
