import { skillRoot } from '../extension/skill-entry.ts';
import type { Skill } from '../extension/skill.ts';

/**
 * The URI of a file that a skill refers to, by a path from the skill's directory or by a URI. `undefined` when it lies outside the
 * directory. For a file that the entry lists, in any encoding, the entry's spelling is returned.
 */
export function resolveReference({ uri, resources }: Skill, reference: string | undefined): string | undefined {
  if (reference === undefined) return uri;
  const root = skillRoot(uri) ?? '';
  const [path = ''] = reference.split('#');
  const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:/.test(path) ? path : `${root}/${encodePath(path)}`;
  if (!absolute.startsWith(`${root}/`)) return undefined;
  const names = namesIn(absolute.slice(root.length + 1));
  if (names === undefined) return undefined;
  const wanted = names.join('/');
  if (resources === 'dynamic') return `${root}/${names.map(encodeURIComponent).join('/')}`;
  return resources.find((resource) => namesIn(resource.uri.slice(root.length + 1))?.join('/') === wanted)?.uri;
}

/** Encodes the names of a path; those already encoded stay as they are. */
function encodePath(path: string): string {
  return path
    .split('/')
    .map((name) => encodeURIComponent(decoded(name) ?? name))
    .join('/');
}

/** The names in a path, decoded and normalised; `undefined` when it leaves the directory or hides a separator. */
function namesIn(path: string): string[] | undefined {
  const names: string[] = [];
  for (const part of path.split('/')) {
    const name = decoded(part);
    if (name === undefined || /[/\\\0]/.test(name)) return undefined;
    if (name === '..' && names.pop() === undefined) return undefined;
    if (name !== '..' && name !== '.' && name !== '') names.push(name);
  }
  return names.length === 0 ? undefined : names;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
