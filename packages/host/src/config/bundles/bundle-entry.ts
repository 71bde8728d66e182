import { posix, win32 } from 'node:path';
import type { Json } from '../../values/json.ts';
import type { InputDefinition, ServerEntry, StdioReach } from '../server-entry.ts';
import { BundleError, shownName } from './bundle-error.ts';
import type { BundleCommand, BundleManifest, BundleOption, ReadManifest } from './manifest.ts';
import type { UnpackedBundle } from './unpack-bundle.ts';
import { substituted, substitutedArguments, userFolders, type UserFolders, type VariableValues } from './variables.ts';

/** A bundle as a server of the host, and the values that its user is asked for. */
export interface BundleEntry {
  /** Its texts hold their `${…}`; `bundleReach` gives the final ones. */
  readonly entry: ServerEntry;
  readonly inputs: readonly InputDefinition[];
}

export interface BundleReachOptions {
  /** As `process.platform` has it; that of this process by default. */
  readonly platform?: string;
  /** Folders of the user; by their usual names below the home folder by default. */
  readonly folders?: UserFolders;
}

/**
 * The entry of an unpacked bundle. Nothing is expanded yet.
 *
 * ```ts
 * const { entry, inputs } = entryOfBundle(manifest, await unpackBundle(bytes, folder));
 * ```
 */
export function entryOfBundle(
  manifest: ReadManifest,
  unpacked: UnpackedBundle,
  options: BundleReachOptions = {},
): BundleEntry {
  const { command, args, env } = commandOf(manifest, options.platform ?? process.platform);
  const { name, display_name: title, version, description, author, compatibility } = manifest;
  return {
    entry: {
      name,
      reach: { type: 'stdio', command, args: args ?? [], env: env ?? {}, cwd: '${__dirname}' },
      origin: {
        format: 'mcpb',
        scope: 'bundle',
        file: posixOr(unpacked.folder, 'manifest.json'),
        pointer: '/server/mcp_config',
      },
      other: {
        digest: unpacked.digest,
        version,
        description,
        author: author.name,
        ...(title !== undefined && { title }),
        ...(compatibility !== undefined && { compatibility }),
      },
    },
    inputs: bundleInputs(manifest, options),
  };
}

function posixOr(folder: string, file: string): string {
  return folder.includes('\\') ? win32.join(folder, file) : posix.join(folder, file);
}

/** The values of `user_config` that the user is asked for. Variables in defaults are replaced: the user sees them. */
export function bundleInputs(manifest: BundleManifest, options: BundleReachOptions = {}): readonly InputDefinition[] {
  const values = variables(options, new Map());
  return Object.entries(manifest.user_config ?? {}).map(([id, option]) => ({
    id,
    type: option.type === 'string' ? 'text' : option.type,
    title: option.title,
    ...(option.description !== undefined && { description: option.description }),
    ...(option.sensitive === true && { isSecret: true }),
    isRequired: option.required === true,
    ...(option.multiple === true && { isList: true }),
    ...(option.min !== undefined && { minimum: option.min }),
    ...(option.max !== undefined && { maximum: option.max }),
    ...(option.default !== undefined && { default: expandedDefault(option, values) }),
  }));
}

function expandedDefault(option: BundleOption, values: VariableValues): Json {
  const expand = (text: string): string => substituted(text, values) ?? text;
  const value = option.default ?? null;
  if (typeof value === 'string') return option.multiple === true ? [expand(value)] : expand(value);
  return Array.isArray(value) ? value.map(String).map(expand) : value;
}

/**
 * How the server of a bundle is started, with every variable replaced by the folder that it was unpacked into and the values that the user gave. An argument
 * or a variable of the environment that needs an optional value which is not there is left out. Throws a `BundleError` where a required value is missing.
 *
 * ```ts
 * const reach = bundleReach(manifest, folder, { api_key: 'k-1', folders: ['/home/me/notes'] });
 * ```
 */
export function bundleReach(
  manifest: BundleManifest,
  folder: string,
  values: Readonly<Record<string, Json | undefined>>,
  options: BundleReachOptions = {},
): StdioReach {
  const platform = options.platform ?? process.platform;
  const all = variables(options, optionValues(manifest, values, options), folder);
  const { command, args = [], env = {} } = commandOf(manifest, platform);
  const program = substituted(command, all);
  if (program === undefined)
    throw new BundleError(
      'missing-values',
      `The server of ${shownName(manifest.name)} cannot be started: its command needs a value that is not set.`,
    );
  return {
    type: 'stdio',
    command: insideOf(manifest, folder, program, platform),
    args: args.flatMap((text) => substitutedArguments(text, all)),
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, text]) => {
        const value = substituted(text, all);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    cwd: folder,
  };
}

/** The command of a platform: what an override does not have is that of all platforms. `uv` without a command is run as its documentation says. */
function commandOf({ server }: BundleManifest, platform: string): BundleCommand {
  const config = server.mcp_config;
  if (config === undefined) return { command: 'uv', args: ['run', '--directory', '${__dirname}', server.entry_point] };
  const overrides = config.platform_overrides ?? {};
  const { platform_overrides: _, ...common } = config;
  return Object.hasOwn(overrides, platform) ? { ...common, ...overrides[platform] } : common;
}

/** A command with a separator is a file of the bundle, unless it is absolute: it is made so. Windows finds a program by its `.exe`. */
function insideOf({ name, server }: BundleManifest, folder: string, command: string, platform: string): string {
  const path = platform === 'win32' ? win32 : posix;
  const isOwn = /[/\\]/.test(command) || (server.type === 'binary' && command === server.entry_point);
  if (!isOwn) return command;
  const whole = path.isAbsolute(command) ? path.normalize(command) : path.join(folder, command);
  if (!path.isAbsolute(command) && !whole.startsWith(folder + path.sep))
    throw new BundleError(
      'incompatible',
      `The server of ${shownName(name)} cannot be started: its command ${shownName(command)} leaves the folder of the bundle.`,
    );
  return platform === 'win32' && server.type === 'binary' && path.extname(whole) === '' ? `${whole}.exe` : whole;
}

function variables(
  { platform = process.platform, folders = userFolders() }: BundleReachOptions,
  options: VariableValues['options'],
  bundleFolder?: string,
): VariableValues {
  const path = platform === 'win32' ? win32 : posix;
  return {
    separator: path.sep,
    delimiter: path.delimiter,
    folders,
    options,
    ...(bundleFolder !== undefined && { bundleFolder }),
  };
}

/** The value of every option as texts: the user's, then the default, then none. */
function optionValues(
  manifest: BundleManifest,
  values: Readonly<Record<string, Json | undefined>>,
  options: BundleReachOptions,
): Map<string, string | readonly string[] | null> {
  const found = new Map<string, string | readonly string[] | null>();
  const missing: string[] = [];
  for (const { id, isRequired, isList, default: fallback } of bundleInputs(manifest, options)) {
    const given = Object.hasOwn(values, id) ? values[id] : undefined;
    const value = isUnset(given) ? fallback : given;
    if (isUnset(value)) {
      if (isRequired === true) missing.push(id);
      found.set(id, null);
    } else if (Array.isArray(value)) found.set(id, value.map(String));
    else found.set(id, isList === true ? [asText(value)] : asText(value));
  }
  if (missing.length > 0)
    throw new BundleError(
      'missing-values',
      `The server of ${shownName(manifest.name)} cannot be started: it needs ${missing.map(shownName).join(', ')}. Ask the user for them.`,
    );
  return found;
}

const isUnset = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

const asText = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value));
