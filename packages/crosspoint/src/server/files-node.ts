import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProtocolError } from '../protocol/errors.ts';

/** In the path of a URI as written: a parent segment in any spelling; a hidden (encoded) separator or NUL. */
const CLIMBS = /(?:^|\/|\\|%2f|%5c)(?:\.|%2e){2}(?:$|\/|\\|%2f|%5c)/i;
const HIDES = /%2f|%5c|%00|\\/i;

/**
 * The real path of the file that a `file:` URI names, which lies inside `root`. Symbolic links are followed first, so a link that leads out of the root is
 * refused like a path that climbs out of it. Rejects with `invalid-params` for an invalid URI or one that climbs, and with `resource-not-found` for every
 * other file that may not be read: a file outside is not told apart from one that does not exist.
 * The answer holds at the time it is given: a process that may write inside the root can still replace the file before it is opened.
 */
export async function resolveFileUri(uri: string | URL, root: string): Promise<string> {
  const text = String(uri);
  const path = pathOf(text);
  const [realRoot, realFile] = await Promise.all([realpath(root), realpath(path).catch(() => undefined)]);
  if (realFile === undefined || !isInside(realRoot, realFile))
    throw new ProtocolError('resource-not-found', `Resource not found: ${text}`, { uri: text });
  return realFile;
}

/**
 * Whether a path or `file:` URI lies inside one of the roots, after following symbolic links on both sides. A path that does not exist yet is judged by
 * its folder, so that it can be checked before writing. False for a path that climbs, hides a separator or names another host.
 * The answer holds at the time it is given.
 */
export async function isInsideRoots(
  pathOrUri: string | URL,
  roots: readonly { readonly uri: string }[],
): Promise<boolean> {
  const text = String(pathOrUri);
  try {
    const path = /^file:/i.test(text) ? pathOf(text) : text;
    if (!isAbsolute(path) || path.includes('\0') || path.split(/[/\\]/).includes('..')) return false;
    const real = await realpathOfNearest(path);
    const realRoots = await Promise.all(roots.map(({ uri }) => realRoot(uri)));
    return realRoots.some((root) => root !== undefined && isInside(root, real));
  } catch {
    return false;
  }
}

async function realRoot(uri: string): Promise<string | undefined> {
  try {
    return await realpath(pathOf(uri));
  } catch {
    return undefined;
  }
}

/** The real path of the nearest existing folder, with the rest of the path. A broken link is no folder to write into. */
async function realpathOfNearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as { code?: string }).code !== 'ENOENT' || parent === path) throw error;
    const isDangling = await lstat(path).then(
      () => true,
      () => false,
    );
    if (isDangling) throw error;
    return join(await realpathOfNearest(parent), basename(path));
  }
}

function pathOf(uri: string): string {
  const written = /^file:([^?#]*)$/i.exec(uri)?.[1];
  if (written === undefined || !URL.canParse(uri))
    throw uriRefused(uri, 'it must be a file: URI without query and fragment');
  if (CLIMBS.test(written)) throw uriRefused(uri, 'it climbs out of its folder');
  if (HIDES.test(written)) throw uriRefused(uri, 'it hides a separator or a NUL');
  const url = new URL(uri);
  if (url.host !== '') throw uriRefused(uri, 'it names another host');
  try {
    return fileURLToPath(url);
  } catch {
    throw uriRefused(uri, 'it names no path');
  }
}

function uriRefused(uri: string, why: string): ProtocolError {
  return new ProtocolError('invalid-params', `The URI is refused: ${why}.`, { uri });
}

/** Compared segment by segment: `/data-old` is not inside `/data`. */
function isInside(root: string, file: string): boolean {
  const way = relative(root, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
