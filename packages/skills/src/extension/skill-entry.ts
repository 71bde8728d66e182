import { isAbsoluteUri, isJsonObject } from 'crosspoint/internal';
import type { Skill } from './skill.ts';

const MANIFEST = '/SKILL.md';
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const MAX_NAME = 64;

/** The directory of a skill: the URI of its `SKILL.md` without the file name. `undefined` for any other URI. */
export function skillRoot(uri: string): string | undefined {
  const root = uri.endsWith(MANIFEST) ? uri.slice(0, -MANIFEST.length) : '';
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/./.test(root) ? root : undefined;
}

/** Returns what is wrong with the front matter of a skill, or `undefined`. */
export function frontmatterFault(frontmatter: unknown): string | undefined {
  if (!isJsonObject(frontmatter)) return 'its front matter is not a map';
  const { name, description } = frontmatter;
  if (typeof name !== 'string' || name.length > MAX_NAME || !NAME.test(name))
    return 'its name must be 1 to 64 lower-case letters, digits and single hyphens between them';
  return typeof description === 'string' && description.trim() !== '' ? undefined : 'its description is missing';
}

/** Returns what is wrong with the entry of a skill, or `undefined`. */
export function skillFault(entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return 'it is not an object';
  const { uri, frontmatter, resources } = entry;
  const root = typeof uri === 'string' && isAbsoluteUri(uri) ? skillRoot(uri) : undefined;
  if (root === undefined) return 'its uri is not that of a SKILL.md';
  const fault = frontmatterFault(frontmatter);
  if (fault !== undefined) return fault;
  if (root.slice(root.lastIndexOf('/') + 1) !== (frontmatter as Skill['frontmatter']).name)
    return 'its directory is not named as its front matter says';
  return resources === 'dynamic' ? undefined : resourcesFault(resources, uri as string, root);
}

function resourcesFault(resources: unknown, uri: string, root: string): string | undefined {
  if (!Array.isArray(resources)) return 'its resources are neither a list nor "dynamic"';
  const seen = new Set<unknown>();
  for (const resource of resources as unknown[]) {
    if (!isJsonObject(resource)) return 'one of its resources is not an object';
    const { uri: own, digest, size } = resource;
    if (
      typeof own !== 'string' ||
      !own.startsWith(`${root}/`) ||
      /(?:^|\/)\.{1,2}(?:\/|$)/.test(own.slice(root.length))
    )
      return `the resource ${JSON.stringify(own)} is not inside its directory`;
    if (seen.has(own)) return `the resource ${own} is there twice`;
    if (typeof digest !== 'string' || !DIGEST.test(digest)) return `the digest of ${own} is not one`;
    if (!Number.isSafeInteger(size) || (size as number) < 0) return `the size of ${own} is not one`;
    seen.add(own);
  }
  return seen.has(uri) ? undefined : 'its SKILL.md is not among its resources';
}
