export const MASK = '***';

const SECRET_WORD =
  'token|secret|passwd|password|passphrase|pwd|api[-_]?key|access[-_]?key|private[-_]?key|auth|authorization|credentials?|bearer|cookie|dsn|' +
  'connection[-_]?string|(?<![A-Za-z0-9])key|(?<![A-Za-z0-9])pat';
const SECRET_NAME = new RegExp(`(?:${SECRET_WORD})$`, 'i');
const NAMED_VALUE = new RegExp(
  `((?:${SECRET_WORD})["']?\\s{0,3}[=:]\\s{0,3}["']?)(?!(?:bearer|basic)\\s)[^\\s"',;&]{1,500}`,
  'gi',
);
const URL_CREDENTIALS = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}@/gi;
const AUTH_SCHEME = /(\bbearer|authorization["']?\s{0,3}[:=]\s{0,3}["']?basic)\s{1,3}[A-Za-z0-9._~+/=-]{4,}/gi;
const KNOWN_TOKEN =
  /\b(?:sk-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeoprs]-[A-Za-z0-9-]{8,}|AKIA[A-Z0-9]{12,}|npm_[A-Za-z0-9]{16,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.?[A-Za-z0-9_-]*)/g;

/** Whether what a flag or variable of this name holds is likely to be a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** The arguments of a command as they may be shown: values of secret flags, credentials in URLs and well-known tokens are masked. */
export function maskArguments(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const previous = args[index - 1];
    const isValueOfSecretFlag =
      previous !== undefined && /^-{1,2}[^=\s]+$/.test(previous) && isSecretName(previous) && !arg.startsWith('--');
    return isValueOfSecretFlag ? MASK : maskText(arg);
  });
}

/** Free text as it may be shown. */
export function maskText(text: string): string {
  return text
    .replaceAll(URL_CREDENTIALS, `$1${MASK}@`)
    .replaceAll(AUTH_SCHEME, `$1 ${MASK}`)
    .replaceAll(KNOWN_TOKEN, MASK)
    .replaceAll(NAMED_VALUE, `$1${MASK}`);
}

const SHORTEST_VALUE = 6;

/** The secret values a child was given, so that they can be found again in what it prints. */
export function secretValues(args: readonly string[], env: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecretName(name) ? [value] : [],
  );
  for (const [index, arg] of args.entries()) {
    const flag = args[index - 1];
    const equals = arg.indexOf('=');
    if (flag !== undefined && flag.startsWith('-') && isSecretName(flag) && !arg.startsWith('--')) values.push(arg);
    else if (equals > 0 && isSecretName(arg.slice(0, equals))) values.push(arg.slice(equals + 1));
  }
  return values.filter((value) => value.length >= SHORTEST_VALUE);
}

export function maskValues(text: string, values: readonly string[]): string {
  return values.reduce((masked, value) => masked.replaceAll(value, MASK), text);
}
