import { MASK, redactText } from '../../protocol/redaction/redact-text.ts';
import { isSecretScalarName } from '../../protocol/redaction/secret-name.ts';

/** A flag or variable called "key" usually holds a secret; a member of data with that name usually does not. */
const KEY = /(?:^|[^A-Za-z0-9])(?:key|pat)$/i;

/** Whether a flag or variable of this name probably holds a secret. */
export function isSecretName(name: string): boolean {
  return isSecretScalarName(name) || KEY.test(name);
}

/** Arguments of a command for display: values of secret flags, credentials in URLs and well-known tokens are masked. */
export function maskArguments(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const previous = args[index - 1];
    const isValueOfSecretFlag =
      previous !== undefined && /^-{1,2}[^=\s]+$/.test(previous) && isSecretName(previous) && !arg.startsWith('--');
    return isValueOfSecretFlag ? MASK : redactText(arg);
  });
}

const SHORTEST_VALUE = 6;

/** The secret values that a child was given, to mask them in its output. */
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
