import { parseArgs } from 'node:util';
import { quoted } from './sources.ts';
import { UsageError } from './usage-error.ts';

type Flag = 'help' | 'login' | 'sse' | 'stateless' | 'stdio' | 'version';
type Texts = 'allow-host' | 'allow-origin' | 'env' | 'header' | 'scope';
/** Options with one value. */
export type TextOption =
  | 'audience'
  | 'concurrency'
  | 'credentials'
  | 'cwd'
  | 'introspection'
  | 'introspection-client'
  | 'introspection-secret'
  | 'issuer'
  | 'key-file'
  | 'listen'
  | 'log'
  | 'max-children'
  | 'max-children-per-caller'
  | 'max-parked'
  | 'max-rounds'
  | 'park-seconds'
  | 'questions'
  | 'record'
  | 'store'
  | 'token-file'
  | 'wait-seconds';
export type OptionName = Flag | Texts | TextOption;

const flag: { readonly type: 'boolean'; readonly short?: string } = { type: 'boolean' };
const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;

const OPTIONS: Readonly<Record<Flag, typeof flag> & Record<Texts, typeof texts> & Record<TextOption, typeof text>> = {
  'allow-host': texts,
  'allow-origin': texts,
  audience: text,
  concurrency: text,
  credentials: text,
  cwd: text,
  env: texts,
  header: texts,
  help: { ...flag, short: 'h' },
  introspection: text,
  'introspection-client': text,
  'introspection-secret': text,
  issuer: text,
  'key-file': text,
  listen: text,
  log: text,
  login: flag,
  'max-children': text,
  'max-children-per-caller': text,
  'max-parked': text,
  'max-rounds': text,
  'park-seconds': text,
  questions: text,
  record: text,
  scope: texts,
  sse: flag,
  stateless: flag,
  stdio: flag,
  store: text,
  'token-file': text,
  version: flag,
  'wait-seconds': text,
};

/** Every option, by name. */
export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS);

/** The words of a command line, by option; everything after `--` is the command. */
export interface GivenOptions {
  readonly values: Readonly<
    Partial<Record<Flag, boolean> & Record<Texts, readonly string[]> & Record<TextOption, string>>
  >;
  readonly positionals: readonly string[];
  /** `undefined` without `--`. */
  readonly command: readonly string[] | undefined;
}

/** Splits a command line. Throws a `UsageError` for options that do not exist, lack a value, have one too many, or are given twice. */
export function splitArguments(argv: readonly string[]): GivenOptions {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  const { values, positionals, tokens } = parsed(own);
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const isMany = 'multiple' in OPTIONS[token.name as OptionName];
    if (seen.has(token.name) && !isMany) throw new UsageError(`--${token.name} was given twice. Give it once.`);
    if (token.value === '') throw new UsageError(`--${token.name} needs a value that is not empty.`);
    seen.add(token.name);
  }
  return { values, positionals, command: end === -1 ? undefined : argv.slice(end + 1) };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true, tokens: true });
  } catch (error) {
    throw new UsageError(reasonOf(error as Error & { code?: string }));
  }
}

/** The option is named and its value is not: that may be a secret. */
function reasonOf({ code, message }: Error & { code?: string }): string {
  const name = /'(?:-\w, )?(-{1,2}[^\s'=]+)/.exec(message)?.[1] ?? '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return `${quoted(name)} is no option of the bridge. Options of the server's own command come after "--". --help lists those of the bridge.`;
  const takesNone = message.includes('does not take an argument');
  return takesNone ? `${name} takes no value.` : `${name} needs a value: ${name} VALUE, or ${name}=VALUE.`;
}
