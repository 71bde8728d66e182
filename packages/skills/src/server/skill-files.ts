import type { Bytes } from 'crosspoint/internal';

/** An entry of a directory. `unsupported`: a link or a special file, which is never followed. */
export interface SkillFileEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'unsupported';
}

/** Access to the files of skills. Paths are relative, with forward slashes; the root is the empty string. */
export interface SkillFiles {
  list(directory: string): Promise<readonly SkillFileEntry[]>;
  /** Reads a file. Rejects for a path that is no file, and may for a file with more than `maxBytes`. */
  read(path: string, maxBytes?: number): Promise<Bytes>;
}

/** Files in memory: path → content. Changes are seen by the next `reload`. */
export function memorySkillFiles(files: Readonly<Record<string, string | Bytes>>): SkillFiles {
  return {
    list: async (directory) => {
      const start = directory === '' ? '' : `${directory}/`;
      const found = new Map<string, SkillFileEntry>();
      for (const path of Object.keys(files)) {
        if (!path.startsWith(start)) continue;
        const [name = '', ...rest] = path.slice(start.length).split('/');
        found.set(name, { name, kind: rest.length > 0 ? 'directory' : 'file' });
      }
      return [...found.values()];
    },
    read: async (path) => {
      const content = Object.hasOwn(files, path) ? files[path] : undefined;
      if (content === undefined) throw new Error(`There is no file ${path}.`);
      return typeof content === 'string' ? new TextEncoder().encode(content) : content;
    },
  };
}
