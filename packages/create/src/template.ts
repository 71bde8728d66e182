import { readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Decided } from './choices.ts';

/** Beside `src/` and `dist/`. */
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/** The name that the templates have for the project. It is a valid one, so that a template works as it stands. */
const PLACEHOLDER = 'crosspoint-project';

/** npm leaves every `.gitignore` out of what it packs, so the templates have theirs under another name. */
const RENAMED: ReadonlyMap<string, string> = new Map([['gitignore', '.gitignore']]);

export interface TemplateFile {
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The files of a project, with its name and the version of crosspoint that this package belongs to. */
export function templateFiles({ kind, transport, language }: Decided, name: string): TemplateFile[] {
  const template = join(PACKAGE, 'templates', `${kind}-${transport}-${language}`);
  const entries = readdirSync(template, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => {
      const path = file.slice(template.length + 1).replaceAll(sep, '/');
      const text = readFileSync(file, 'utf8').replaceAll(PLACEHOLDER, name);
      return { path: RENAMED.get(path) ?? path, text: path === 'package.json' ? withVersion(text) : text };
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

const withVersion = (manifest: string): string =>
  manifest.replace('"crosspoint": "*"', `"crosspoint": "^${version()}"`);

/** All packages of Crosspoint have one version. */
function version(): string {
  const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { readonly version: string };
  return manifest.version;
}
