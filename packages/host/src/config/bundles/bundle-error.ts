import { visibleLine } from '../../values/visible-text.ts';

/**
 * Why a bundle was refused: `not-a-bundle` (no readable zip), `too-large` (beyond a limit), `unsafe-path` (a name that could leave the folder, or means
 * something else on another system), `unsafe-entry` (a link or device, a duplicate, an encrypted or unknown kind), `damaged` (the archive contradicts
 * itself), `unsafe-folder` (the place to unpack into), `changed` (files unpacked earlier differ from the bundle), `missing-values` (the user has yet to give
 * them), `incompatible` (the manifest cannot be used here).
 */
export type BundleFault =
  | 'not-a-bundle'
  | 'too-large'
  | 'unsafe-path'
  | 'unsafe-entry'
  | 'damaged'
  | 'unsafe-folder'
  | 'changed'
  | 'missing-values'
  | 'incompatible';

const LONGEST_NAME = 200;

/** A bundle was refused. Nothing of it was left on the disk. */
export class BundleError extends Error {
  override readonly name: string = 'BundleError';
  readonly fault: BundleFault;

  constructor(fault: BundleFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** A name out of a bundle as people may see it: quoted, visible, cut. */
export function shownName(name: string): string {
  const seen = visibleLine(name);
  return JSON.stringify(seen.length > LONGEST_NAME ? `${seen.slice(0, LONGEST_NAME)}…` : seen).replaceAll('\\\\', '\\');
}
