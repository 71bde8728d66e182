import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';

/** The package of the official SDK v1. */
export const V1 = '@modelcontextprotocol/sdk';

export const MANAGERS = ['npm', 'yarn', 'pnpm', 'bun'] as const;
export type PackageManager = (typeof MANAGERS)[number];

const LOCK_FILES: Readonly<Record<string, PackageManager>> = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'yarn.lock': 'yarn',
  'pnpm-lock.yaml': 'pnpm',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
};

const SECTIONS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
export type Section = (typeof SECTIONS)[number];

export interface Manifest {
  readonly name?: string;
  readonly main?: string;
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly packageManager?: string;
  readonly bundleDependencies?: boolean | readonly string[];
  readonly bundledDependencies?: boolean | readonly string[];
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, unknown>>;
  readonly resolutions?: Readonly<Record<string, unknown>>;
  readonly pnpm?: { readonly overrides?: Readonly<Record<string, unknown>> };
  /** The package that an upgrade has replaced, for its undoing. */
  readonly crosspoint?: { readonly replaced?: { readonly section: Section; readonly version: string } };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A project of Node. */
export interface Project {
  readonly folder: string;
  /** The text of its `package.json`. */
  readonly text: string;
  readonly manifest: Manifest;
  readonly manager: PackageManager;
  /** The section that lists the SDK, and the version there. */
  readonly direct: { readonly section: Section; readonly version: string } | undefined;
}

/** Reads a project. Throws a `CliError` where the SDK cannot be replaced in it. */
export function readProject(folder: string, given: PackageManager | undefined): Project {
  const file = join(folder, 'package.json');
  const text = textOf(file);
  if (text === undefined)
    throw new CliError('usage', `There is no package.json in ${folder}.`, {
      hint: 'Give the folder of the project: crosspoint upgrade FOLDER',
    });
  const manifest = parsed(file, text);
  const section = SECTIONS.find((one) => Object.hasOwn(manifest[one] ?? {}, V1));
  const direct = section && { section, version: manifest[section]?.[V1] ?? '' };
  const project = { folder, text, manifest, manager: given ?? managerOf(folder, manifest), direct };
  refuseBundled(project);
  if (direct === undefined && !isInstalled(folder))
    throw new CliError('usage', `${folder} does not depend on ${V1}, so there is nothing to replace.`, {
      hint: 'If one of its dependencies does, install them first.',
    });
  return project;
}

function parsed(file: string, text: string): Manifest {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Told below.
  }
  throw new CliError('usage', `${file} is no JSON object, so nothing is changed in it.`);
}

function managerOf(folder: string, { packageManager }: Manifest): PackageManager {
  const [named = ''] = packageManager?.split('@') ?? [];
  const known = MANAGERS.find((one) => one === named);
  if (known !== undefined) return known;
  const found = locksIn(folder);
  if (found.size > 1)
    throw new CliError('usage', `${folder} has lock files of ${[...found].join(' and ')}.`, {
      hint: 'Say which one counts: --package-manager NAME',
    });
  const [manager] = found;
  if (manager !== undefined) return manager;
  const root = rootAbove(folder);
  if (root !== undefined)
    throw new CliError('usage', `${folder} has no lock file, and ${root} has: an override belongs there.`, {
      hint: `crosspoint upgrade ${root}; or say --package-manager NAME, if this project stands for itself.`,
    });
  return 'npm';
}

function locksIn(folder: string): Set<PackageManager> {
  const files = new Set(readdirSync(folder));
  return new Set(Object.entries(LOCK_FILES).flatMap(([file, manager]) => (files.has(file) ? [manager] : [])));
}

/** The nearest folder above that has a manifest with workspaces and a lock file. */
function rootAbove(folder: string): string | undefined {
  for (let at = dirname(folder), last = folder; at !== last; last = at, at = dirname(at)) {
    const text = textOf(join(at, 'package.json'));
    const isRoot = text?.includes('"workspaces"') === true || existsSync(join(at, 'pnpm-workspace.yaml'));
    if (isRoot && locksIn(at).size > 0) return at;
  }
  return undefined;
}

function refuseBundled({ folder, manifest }: Project): void {
  const { bundleDependencies, bundledDependencies } = manifest;
  const listed = [bundleDependencies, bundledDependencies].some(
    (one) => one === true || (Array.isArray(one) && one.includes(V1)),
  );
  if (listed)
    throw new CliError('usage', `package.json bundles ${V1} with the project, which an override does not reach.`, {
      hint: 'Take it out of bundleDependencies first.',
    });
  const bundle = entryFiles(folder, manifest).find(isBundle);
  if (bundle !== undefined)
    throw new CliError('usage', `${bundle} has ${V1} inside, so replacing the package would change nothing.`, {
      hint: 'Build it without bundling the SDK, as an external package, and try again.',
    });
}

/** A program that knows the protocol and imports no SDK has brought one. */
function isBundle(file: string): boolean {
  const text = textOf(file) ?? '';
  return text.includes('notifications/initialized') && !text.includes(V1);
}

/** The programs of a project, absolute, as far as they exist. */
export function entryFiles(folder: string, { bin, main }: Manifest): string[] {
  const bins = typeof bin === 'string' ? [bin] : Object.values(bin ?? {});
  const all = [...bins, ...(main === undefined ? [] : [main])].map((file) => join(folder, file));
  return [...new Set(all)].filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

function isInstalled(folder: string): boolean {
  if (existsSync(join(folder, 'node_modules', V1))) return true;
  return Object.keys(LOCK_FILES).some((file) => textOf(join(folder, file))?.includes(V1) === true);
}

export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
