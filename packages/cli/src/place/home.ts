import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

/** The folders where the command keeps what belongs to the user. They need not exist. */
export interface Home {
  /** The user's configuration of servers. */
  readonly configFile: string;
  /** The user's policy. */
  readonly policyFile: string;
  /** The policy of the administrators of the machine, in place of the user's. */
  readonly managedPolicyFile: string;
  /** Approvals, trust, audit log, logins. */
  readonly stateFolder: string;
  /** Records and sockets of kept connections; mode 0700. */
  readonly keptFolder: string;
  /** The folder that `CROSSPOINT_HOME` names; its secrets are apart from others in the keychain. */
  readonly ownFolder?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where things are kept: by the rules of the platform, or all in the folder that `CROSSPOINT_HOME` names, which suits tests and containers.
 */
export function homeOf(env: Env, platform: NodeJS.Platform = process.platform): Home {
  const own = env['CROSSPOINT_HOME'];
  const config = own ?? join(configFolder(env, platform), 'crosspoint');
  const state = own ?? join(stateFolder(env, platform), 'crosspoint');
  return {
    configFile: join(config, 'crosspoint.json'),
    policyFile: join(config, 'policy.json'),
    managedPolicyFile: join(systemFolder(env, platform), 'policy.json'),
    stateFolder: state,
    keptFolder: join(own ?? runtimeFolder(env, state), own === undefined ? 'crosspoint-kept' : 'kept'),
    ...(own !== undefined && { ownFolder: own }),
  };
}

function configFolder(env: Env, platform: NodeJS.Platform): string {
  if (platform === 'win32') return env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  return env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
}

function stateFolder(env: Env, platform: NodeJS.Platform): string {
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  return env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state');
}

/** The folder of the program that only administrators can write to. */
function systemFolder(env: Env, platform: NodeJS.Platform): string {
  if (platform === 'win32') return join(env['ProgramFiles'] ?? 'C:\\Program Files', 'crosspoint');
  return platform === 'darwin' ? '/Library/Application Support/crosspoint' : '/etc/crosspoint';
}

/** A folder of this user alone that is emptied when the machine starts, where the platform has one. */
function runtimeFolder(env: Env, state: string): string {
  return env['XDG_RUNTIME_DIR'] ?? state;
}

/** The name of the user, for the named pipe on Windows. */
export function userName(): string {
  return userInfo().username.replaceAll(/\W/g, '_');
}
