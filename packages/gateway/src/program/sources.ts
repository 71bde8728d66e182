import type { Source } from './bridge-command.ts';
import { UsageError } from './usage-error.ts';

const ENVIRONMENT = 'env:';
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Names whose value is probably a secret. A wrong guess costs a file; a secret on the command line can be read by every user of the machine. */
const SECRET = /auth|bearer|cookie|credential|dsn|key|pass|pat$|pwd|secret|session|sid$|sig|token/i;
const SECRET_VALUE = /^(?:bearer|basic|digest|token)\s/i;

/** Headers that the client of the bridge writes itself. */
const RESERVED =
  /^(?:accept|connection|content-.*|cookie2|expect|host|keep-alive|last-event-id|mcp-.*|origin|te|trailer|transfer-encoding|upgrade)$/i;

/** A value that must not be on the command line: `@FILE` or `env:NAME`. */
export function secretSource(option: string, text: string): Source {
  const source = sourceOf(option, text);
  if (source.from === 'arguments') throw inArguments(option);
  return source;
}

/** A value that may be on the command line. */
export function sourceOf(option: string, text: string): Source {
  if (text.startsWith('@')) {
    const path = text.slice(1);
    if (path === '') throw new UsageError(`${option}: the name of a file is missing after "@".`);
    return { from: 'file', path };
  }
  if (text.startsWith(ENVIRONMENT)) return { from: 'environment', name: variable(option, text.slice(4)) };
  return { from: 'arguments', value: text };
}

/** `--header NAME=@FILE`, `NAME=env:VARIABLE`, or `NAME=VALUE` where that is no secret. */
export function readHeaders(texts: readonly string[]): Record<string, Source> {
  const read: [string, Source][] = texts.map((text) => {
    const [name, value] = pair('--header', text, 'NAME=@FILE, NAME=env:VARIABLE or NAME=VALUE');
    if (!HEADER.test(name)) throw new UsageError(`--header: ${quoted(name)} is no name of a header.`);
    if (RESERVED.test(name)) throw new UsageError(`--header ${name}: the bridge writes this header itself.`);
    return [name.toLowerCase(), publicOrSecret(`--header ${name}`, name, value)];
  });
  return once('--header', read);
}

/** `--env NAME` hands a variable on; `NAME=@FILE`, `NAME=env:OTHER` and `NAME=VALUE` set one. */
export function readVariables(texts: readonly string[]): Record<string, Source> {
  const read: [string, Source][] = texts.map((text) => {
    if (!text.includes('=')) return [variable('--env', text), { from: 'environment', name: text }];
    const [name, value] = pair('--env', text, 'NAME, NAME=@FILE, NAME=env:VARIABLE or NAME=VALUE');
    return [variable('--env', name), publicOrSecret(`--env ${name}`, name, value)];
  });
  return once('--env', read);
}

/** Whether a name is one of those whose value is probably a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

function publicOrSecret(option: string, name: string, text: string): Source {
  const source = sourceOf(option, text);
  if (source.from === 'arguments' && (isSecretName(name) || SECRET_VALUE.test(text))) throw inArguments(option);
  return source;
}

function inArguments(option: string): UsageError {
  return new UsageError(
    `${option}: a secret does not belong on the command line, which every user of this machine can read. Put it into a file and write @FILE, or into a variable and write env:NAME, in place of the value.`,
  );
}

function pair(option: string, text: string, forms: string): readonly [name: string, value: string] {
  const equals = text.indexOf('=');
  // The text is not repeated: it may hold a secret.
  if (equals <= 0) throw new UsageError(`${option} needs ${forms}.`);
  if (equals === text.length - 1) throw new UsageError(`${option} ${text.slice(0, equals)}: the value is missing.`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

function variable(option: string, name: string): string {
  if (VARIABLE.test(name)) return name;
  throw new UsageError(`${option}: ${quoted(name)} is no name of a variable.`);
}

function once(option: string, read: readonly (readonly [string, Source])[]): Record<string, Source> {
  const seen = new Set<string>();
  for (const [name] of read) {
    if (seen.has(name)) throw new UsageError(`${option}: ${name} was given twice.`);
    seen.add(name);
  }
  return Object.fromEntries(read);
}

/** A text of the command line in an error. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
