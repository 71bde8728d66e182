import { parseArgs, type ParseArgsConfig } from 'node:util';
import { CliError } from '../errors/cli-error.ts';
import type { Command, Given, OptionSpec, OptionSpecs, OptionValues, TargetWords } from './command.ts';
import { GLOBAL_OPTIONS, TARGET_OPTIONS } from './global-options.ts';

export type GlobalValues = OptionValues<typeof GLOBAL_OPTIONS>;
export type TargetValues = OptionValues<typeof TARGET_OPTIONS>;

/** A command line that fits its command. */
export interface ParsedLine {
  readonly given: Given;
  readonly globals: GlobalValues;
  /** Options about the server; with their empty values where the command takes none. */
  readonly reaching: TargetValues;
}

/** Every option that a command has, its own and those of all commands. */
export function optionsOf(command: Command): OptionSpecs {
  return { ...command.options, ...targetOptionsOf(command), ...GLOBAL_OPTIONS };
}

/** The options about the server that a command has; none where it takes no server. */
export function targetOptionsOf({ target, targetOptions }: Command): OptionSpecs {
  if (target === undefined || targetOptions === undefined) return target === undefined ? {} : TARGET_OPTIONS;
  return Object.fromEntries(targetOptions.map((name) => [name, TARGET_OPTIONS[name]]));
}

/** Reads the words after the name of a command. Throws a `CliError` for everything that does not fit; values are not repeated, they may be secret. */
export function parseLine(command: Command, words: readonly string[]): ParsedLine {
  if (command.isRaw === true) {
    const { isRaw: _raw, arguments: _any, ...bare } = command;
    const line = parseLine(bare, []);
    return { ...line, given: { ...line.given, words } };
  }
  const specs = optionsOf(command);
  const end = words.indexOf('--');
  const own = end === -1 ? words : words.slice(0, end);
  const after = end === -1 ? undefined : words.slice(end + 1);
  const { values, positionals } = split(command, specs, own);
  const options = Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, valueOf(name, spec, values)]));
  const globals = options as object as GlobalValues;
  const reaching = { ...EMPTY_REACHING, ...options } as TargetValues;
  if (globals.help) return { given: { target: undefined, words: [], options }, globals, reaching };
  const { target, rest } = takeTarget(command, positionals, after);
  checkWords(command, rest);
  return { given: { target, words: rest, options }, globals, reaching };
}

const EMPTY_REACHING: TargetValues = {
  family: undefined,
  revision: undefined,
  header: [],
  env: [],
  cwd: undefined,
  root: [],
  rules: undefined,
};

/** How a command is used, in one line. */
export function usageOf({ path, target, isTargetLast, arguments: args = [] }: Command): string {
  const words = args.map(({ name, isOptional, isMany }) => {
    const word = `${name.toUpperCase()}${isMany === true ? '…' : ''}`;
    return isOptional === true ? `[${word}]` : word;
  });
  const server = target === 'needed' ? ['SERVER'] : target === 'optional' ? ['[SERVER]'] : [];
  const all = isTargetLast === true ? [...words, ...server] : [...server, ...words];
  const program = target === 'command' ? ['[-- COMMAND ARGS]'] : [];
  return ['crosspoint', ...path, ...all, '[options]', ...program].join(' ');
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

function split(
  command: Command,
  specs: OptionSpecs,
  words: readonly string[],
): { values: Values; positionals: string[] } {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [name, { type, short }] of Object.entries(specs))
    options[name] = {
      type: type === 'flag' ? 'boolean' : 'string',
      ...(short !== undefined && { short }),
      ...(type === 'texts' && { multiple: true }),
    };
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...words],
      options,
      allowPositionals: true,
      tokens: true,
    });
    const seen = new Set<string>();
    for (const token of tokens) {
      if (token.kind !== 'option') continue;
      if (seen.has(token.name) && specs[token.name]?.type !== 'texts')
        throw new CliError('usage', `--${token.name} was given twice. Give it once.`);
      if (token.value === '') throw new CliError('usage', `--${token.name} needs a value that is not empty.`);
      seen.add(token.name);
    }
    return { values, positionals };
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw optionFault(command, specs, error as Error & { code?: string });
  }
}

/** The option is named, and its value is not: that may be a secret. */
function optionFault(command: Command, specs: OptionSpecs, { code, message }: Error & { code?: string }): CliError {
  const name = /'(?:-\w, )?(-{1,2}[^\s'=]+)/.exec(message)?.[1] ?? '';
  const hint = `crosspoint ${command.path.join(' ')} --help lists the options.`;
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const takesNone = message.includes('does not take an argument');
    return new CliError('usage', takesNone ? `${name} takes no value.` : `${name} needs a value: ${name} VALUE.`, {
      hint,
    });
  }
  const mistyped = { word: name, among: Object.keys(specs).map((known) => `--${known}`) };
  const own = command.target === undefined ? '' : ' Options of the server\'s own command come after "--".';
  return new CliError('usage', `${JSON.stringify(name)} is no option of this command.${own}`, { hint, mistyped });
}

function valueOf(
  name: string,
  spec: OptionSpec,
  values: Values,
): string | number | boolean | readonly string[] | undefined {
  const given = values[name];
  switch (spec.type) {
    case 'flag':
      return given === true;
    case 'texts':
      return (given ?? []) as readonly string[];
    case 'number':
      return given === undefined ? undefined : readNumber(name, spec, given as string);
    case 'text': {
      const text = given as string | undefined;
      if (text === undefined || spec.words === undefined || spec.words.includes(text)) return text;
      throw new CliError('usage', `--${name} must be one of ${spec.words.join(', ')}.`);
    }
  }
}

const NUMBER = /^\d+(?:\.\d+)?$/;

function readNumber(
  name: string,
  { least, most, isWhole }: { readonly least: number; readonly most: number; readonly isWhole?: true },
  text: string,
): number {
  const number = NUMBER.test(text) ? Number(text) : NaN;
  if (number >= least && number <= most && (isWhole !== true || /^\d+$/.test(text))) return number;
  const kind = isWhole === true ? 'whole number' : 'number';
  throw new CliError('usage', `--${name} must be a ${kind} from ${least} to ${most}, not ${JSON.stringify(text)}.`);
}

function takeTarget(
  command: Command,
  positionals: readonly string[],
  after: readonly string[] | undefined,
): { readonly target: TargetWords | undefined; readonly rest: readonly string[] } {
  if (command.target === undefined) {
    if (after !== undefined)
      throw new CliError('usage', 'This command takes no server, so nothing may follow "--".', use(command));
    return { target: undefined, rest: positionals };
  }
  if (after !== undefined) {
    const [program, ...args] = after;
    if (program === undefined || program === '')
      throw new CliError('usage', 'The command of the server is missing after "--".', use(command));
    return { target: { kind: 'command', command: program, args }, rest: positionals };
  }
  if (command.target === 'command') return { target: undefined, rest: positionals };
  const at = command.isTargetLast === true ? (command.arguments?.length ?? 0) : 0;
  const word = positionals[at];
  const rest = positionals.toSpliced(at, 1);
  if (word !== undefined) return { target: { kind: 'word', word }, rest };
  if (command.target === 'optional') return { target: undefined, rest };
  throw new CliError('usage', 'The server is missing.', {
    hint: `Name it (${usageOf(command)}): a configured name, FILE.json#NAME, an address, a FILE.mcpb, or "-- COMMAND ARGS" at the end.`,
  });
}

function checkWords(command: Command, words: readonly string[]): void {
  const { arguments: args = [] } = command;
  const needed = args.filter(({ isOptional }) => isOptional !== true);
  const missing = needed[words.length];
  if (missing !== undefined)
    throw new CliError('usage', `${missing.name.toUpperCase()} is missing: ${missing.says}`, use(command));
  const takesRest = args.at(-1)?.isMany === true;
  if (!takesRest && words.length > args.length)
    throw new CliError('usage', `There is a word too many: ${JSON.stringify(words[args.length])}.`, use(command));
  args.forEach(({ name, words: allowed }, at) => {
    const word = words[at];
    if (word !== undefined && allowed !== undefined && !allowed.includes(word))
      throw new CliError(
        'usage',
        `${name.toUpperCase()} must be one of ${allowed.join(', ')}, not ${JSON.stringify(word)}.`,
        use(command),
      );
  });
}

const use = (command: Command): { hint: string } => ({ hint: `Usage: ${usageOf(command)}` });
