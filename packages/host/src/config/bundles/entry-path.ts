import { BundleError, shownName } from './bundle-error.ts';

const MAX_PATH = 1024;
const MAX_SEGMENT = 255;
const MAX_DEPTH = 64;

/** Characters that a file system takes for something else, or refuses: separators of Windows, streams and drives, wildcards, unseen ones. */
const REFUSED_CHARACTER = /[\\:*?"<>|\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/u;
/** Names that Windows opens as devices in every folder, whatever follows their first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(?:\.|$)/i;
const ENDS_IN_DOT_OR_SPACE = /[. ]$/;

/**
 * The segments of an entry's name, which ends with `/` for a folder. Throws for every name that could leave the folder that it is unpacked into, or that
 * names another file on another operating system.
 */
export function segmentsOf(name: string): readonly string[] {
  const path = name.endsWith('/') ? name.slice(0, -1) : name;
  if (path.length === 0 || path.length > MAX_PATH)
    throw unsafe(name, `is not between 1 and ${MAX_PATH} characters long`);
  const segments = path.split('/');
  if (segments.length > MAX_DEPTH) throw unsafe(name, `is more than ${MAX_DEPTH} folders deep`);
  for (const segment of segments) {
    const fault = segmentFault(segment);
    if (fault !== undefined) throw unsafe(name, fault);
  }
  return segments;
}

function segmentFault(segment: string): string | undefined {
  if (segment === '') return 'is absolute or has an empty part';
  if (segment === '.' || segment === '..') return `has the part "${segment}"`;
  if (segment.length > MAX_SEGMENT) return `has a part of more than ${MAX_SEGMENT} characters`;
  if (REFUSED_CHARACTER.test(segment)) return 'has a character that is not allowed in file names everywhere';
  if (DEVICE.test(segment)) return 'names a device of Windows';
  if (ENDS_IN_DOT_OR_SPACE.test(segment)) return 'has a part that ends in a dot or a space';
  return undefined;
}

function unsafe(name: string, fault: string): BundleError {
  return new BundleError(
    'unsafe-path',
    `The bundle was refused: the name ${shownName(name)} of an entry ${fault}. Do not use this bundle; tell its author.`,
  );
}

/** The text by which file systems that ignore case, or the form of accents, know a path. */
export function foldedPath(segments: readonly string[]): string {
  return segments.join('/').toUpperCase().toLowerCase().normalize('NFC');
}
