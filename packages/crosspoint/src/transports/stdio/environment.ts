/** Variables that a child process inherits by default: enough to start programs, and none that usually holds a secret. */
export const DEFAULT_INHERITED_ENV_VARS: readonly string[] = inheritedOn(process.platform);

export function inheritedOn(platform: NodeJS.Platform): readonly string[] {
  if (platform !== 'win32') {
    return [
      'HOME',
      'LOGNAME',
      'PATH',
      'SHELL',
      'TERM',
      'USER',
      'LANG',
      'LC_ALL',
      'LC_CTYPE',
      'TZ',
      'TMPDIR',
      'XDG_CONFIG_HOME',
      'XDG_DATA_HOME',
      'XDG_CACHE_HOME',
    ];
  }
  return [
    'ALLUSERSPROFILE',
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'NUMBER_OF_PROCESSORS',
    'OS',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'PROGRAMFILES(X86)',
    'PROGRAMW6432',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERDOMAIN',
    'USERNAME',
    'USERPROFILE',
    'WINDIR',
  ];
}

/** The variables that a child inherits by default, with their values. */
export function getDefaultEnvironment(): Record<string, string> {
  return pickEnvironment(process.env, DEFAULT_INHERITED_ENV_VARS);
}

export interface EnvironmentOptions {
  env?: Record<string, string | undefined> | undefined;
  /** Inherit all variables of this process instead of the default list. */
  inheritEnv?: boolean | undefined;
}

/** The environment of a child. `env` is added to the inherited variables; `undefined` removes one. */
export function childEnvironment(options: EnvironmentOptions): Record<string, string> {
  const merged =
    options.inheritEnv === true ? pickEnvironment(process.env, Object.keys(process.env)) : getDefaultEnvironment();
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value === undefined) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

function pickEnvironment(from: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = from[name];
    // A value that begins with `()` is a shell function, which old shells execute on import.
    if (value !== undefined && !value.startsWith('()')) picked[name] = value;
  }
  return picked;
}
