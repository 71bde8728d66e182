import { constants, type Dirent } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, relative, isAbsolute, sep } from 'node:path';
import { SkillCatalog, type SkillCatalogOptions } from './skill-catalog.ts';
import type { SkillFileEntry, SkillFiles } from './skill-files.ts';

/**
 * The files of a folder. Symbolic links are never followed: `list` reports them as unsupported, and `read` refuses a path through a link, or one that
 * climbs out of the folder.
 */
export function nodeSkillFiles(root: string): SkillFiles {
  return {
    list: async (directory) => {
      const path = await insideOf(root, directory);
      const entries = await readdir(path, { withFileTypes: true });
      return entries.map((entry): SkillFileEntry => ({ name: entry.name, kind: kindOf(entry) }));
    },
    read: async (path, maxBytes = Number.POSITIVE_INFINITY) => {
      // O_NOFOLLOW refuses a link that replaces the file after it was checked.
      const file = await open(await insideOf(root, path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
      try {
        const facts = await file.stat();
        if (!facts.isFile()) throw new Error(`${path} is not a file.`);
        if (facts.size > maxBytes) throw new Error(`${path} has ${facts.size} bytes, and ${maxBytes} are the limit.`);
        return new Uint8Array(await file.readFile());
      } finally {
        await file.close();
      }
    },
  };
}

/** Finds every skill in a folder of skills: `loadSkills('skills')`, and then `attach` to a server. */
export async function loadSkills(root: string, options: SkillCatalogOptions = {}): Promise<SkillCatalog> {
  return SkillCatalog.load(nodeSkillFiles(root), options);
}

function kindOf(entry: Dirent): SkillFileEntry['kind'] {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'directory' : 'unsupported';
}

/** The real path of a file or directory in the folder. */
async function insideOf(root: string, path: string): Promise<string> {
  const names = path === '' ? [] : path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0') || name.includes(sep)))
    throw new TypeError(`${path} is not a path inside the folder of skills.`);
  const realRoot = await realpath(root);
  const wanted = join(realRoot, ...names);
  const real = await realpath(wanted);
  const way = relative(realRoot, real);
  if (real !== wanted || isAbsolute(way) || way === '..' || way.startsWith(`..${sep}`))
    throw new TypeError(`${path} leads through a link, which is not followed.`);
  return real;
}
