/** What a child process inherits unless told otherwise: enough to start programs, nothing that is a secret by custom. */
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

/** The inherited part of a child's environment. */
export function getDefaultEnvironment(): Record<string, string> {
  return pickEnvironment(process.env, DEFAULT_INHERITED_ENV_VARS);
}

export interface EnvironmentOptions {
  env?: Record<string, string | undefined> | undefined;
  /** Everything this process has, instead of the safe list. */
  inheritEnv?: boolean | undefined;
}

/** `env` is laid over what is inherited and never replaces it; a value of `undefined` takes a variable away. */
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
    // A value like this is a shell function, which old shells execute on import.
    if (value !== undefined && !value.startsWith('()')) picked[name] = value;
  }
  return picked;
}
