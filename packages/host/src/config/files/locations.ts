import { posix, win32, type PlatformPath } from 'node:path';
import type { FileFormatId } from '../formats/format.ts';
import type { FileLocation } from './config-file.ts';

/** The machine and the folder whose configuration is looked for. */
export interface Surroundings {
  /** The home folder of the user, absolute. */
  readonly home: string;
  /** The folder that the user works in, absolute. Without it no file of a repository is looked for. */
  readonly folder?: string;
  readonly platform: NodeJS.Platform;
  /** `APPDATA`, `ProgramFiles` and `XDG_CONFIG_HOME` are used. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Where each program keeps its servers, the managed file of each first, then those of the user, then those of the folder. Files need not exist.
 * `formats`: the programs, in this order.
 */
export function fileLocations(place: Surroundings, formats: readonly FileFormatId[]): FileLocation[] {
  const paths = place.platform === 'win32' ? win32 : posix;
  const inFolder = (...names: string[]): string[] =>
    place.folder === undefined ? [] : [paths.join(place.folder, ...names)];
  const config = configFolder(place, paths);
  const system = systemFolder(place);
  const places: Readonly<Record<FileFormatId, { managed?: string; user: string[]; project: string[] }>> = {
    crosspoint: {
      managed: paths.join(system('crosspoint'), 'crosspoint.json'),
      user: [paths.join(config, 'crosspoint', 'crosspoint.json')],
      project: inFolder('crosspoint.json'),
    },
    'claude-code': {
      managed: paths.join(system(place.platform === 'linux' ? 'claude-code' : 'ClaudeCode'), 'managed-mcp.json'),
      user: [paths.join(place.home, '.claude.json')],
      project: inFolder('.mcp.json'),
    },
    vscode: { user: [paths.join(config, 'Code', 'User', 'mcp.json')], project: inFolder('.vscode', 'mcp.json') },
    cursor: { user: [paths.join(place.home, '.cursor', 'mcp.json')], project: inFolder('.cursor', 'mcp.json') },
    'claude-desktop': { user: [paths.join(config, 'Claude', 'claude_desktop_config.json')], project: [] },
  };
  return formats.flatMap((format) => {
    const { managed, user, project } = places[format];
    return [
      ...(managed === undefined ? [] : [{ file: managed, format, scope: 'managed' as const }]),
      ...user.map((file) => ({ file, format, scope: 'user' as const })),
      ...project.map((file) => ({ file, format, scope: 'project' as const })),
    ];
  });
}

/** The folder where programs keep what belongs to the user. */
function configFolder({ home, platform, env }: Surroundings, paths: PlatformPath): string {
  if (platform === 'win32') return env['APPDATA'] ?? paths.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return paths.join(home, 'Library', 'Application Support');
  const named = env['XDG_CONFIG_HOME'];
  return named !== undefined && paths.isAbsolute(named) ? named : paths.join(home, '.config');
}

/** The folder of a program that only administrators can write to. */
function systemFolder({ platform, env }: Surroundings): (name: string) => string {
  if (platform === 'win32') return (name) => win32.join(env['ProgramFiles'] ?? 'C:\\Program Files', name);
  if (platform === 'darwin') return (name) => posix.join('/Library/Application Support', name);
  return (name) => posix.join('/etc', name);
}
