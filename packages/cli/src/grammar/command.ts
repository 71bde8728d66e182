import type { CommandContext } from '../context.ts';
import type { Ending } from '../errors/exit-codes.ts';
import type { TARGET_OPTIONS } from './global-options.ts';

/** Things that shell completion can look up for a word: names of the live server, of the configuration, or of the file system. */
export type Completes =
  | 'argument'
  | 'call'
  | 'file'
  | 'kept'
  | 'prompt'
  | 'prompt-argument'
  | 'request'
  | 'resource'
  | 'server'
  | 'task'
  | 'template'
  | 'tool'
  | 'variable';

/** A word of a command line that is no option. */
export interface ArgumentSpec {
  readonly name: string;
  readonly says: string;
  readonly isOptional?: true;
  /** Takes every word that is left; only the last argument. */
  readonly isMany?: true;
  readonly completes?: Completes;
  /** The only words that are allowed. */
  readonly words?: readonly string[];
}

interface OptionBase {
  readonly says: string;
  readonly short?: string;
}

export interface FlagSpec extends OptionBase {
  readonly type: 'flag';
}

export interface TextSpec extends OptionBase {
  readonly type: 'text';
  /** The value in the help: `FILE`. */
  readonly value: string;
  readonly isMany?: false;
  readonly words?: readonly string[];
  readonly completes?: Completes;
}

export interface TextsSpec extends OptionBase {
  readonly type: 'texts';
  readonly value: string;
  readonly completes?: Completes;
}

export interface NumberSpec extends OptionBase {
  readonly type: 'number';
  readonly value: string;
  /** Only whole numbers are allowed. */
  readonly isWhole?: true;
  readonly least: number;
  readonly most: number;
}

export type OptionSpec = FlagSpec | TextSpec | TextsSpec | NumberSpec;
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type ValueOf<Spec extends OptionSpec> = Spec extends FlagSpec
  ? boolean
  : Spec extends TextsSpec
    ? readonly string[]
    : Spec extends NumberSpec
      ? number | undefined
      : string | undefined;

/** The values of options, by name: `false` and `[]` where a flag or a list was not given. */
export type OptionValues<Specs extends OptionSpecs> = { readonly [Name in keyof Specs]: ValueOf<Specs[Name]> };

/** A server as it was typed: one word, or the words after `--`. */
export type TargetWords =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] };

/** A command line, read and checked against its command. */
export interface Given<Specs extends OptionSpecs = OptionSpecs> {
  readonly target: TargetWords | undefined;
  /** The words after the target, one for each argument; a last one with `isMany` takes the rest. */
  readonly words: readonly string[];
  readonly options: OptionValues<Specs>;
}

export interface Example {
  readonly line: string;
  readonly says: string;
}

/** The name of an option about the server. */
export type TargetOption = keyof typeof TARGET_OPTIONS;

interface CommandText {
  /** The words that name it: `['tools', 'call']`. */
  readonly path: readonly string[];
  /** One line, which begins with a verb. */
  readonly says: string;
  /** More, in paragraphs. */
  readonly about?: string;
  /** Whether the first word, or everything after `--`, is a server; `command`: only what is after `--` may be one. Absent: the command takes none. */
  readonly target?: 'needed' | 'optional' | 'command';
  /** The server comes behind the other words in place of before them: `servers add NAME SERVER`. */
  readonly isTargetLast?: true;
  /** The forms that the server may have, for commands that do not take every form. */
  readonly targetSays?: string;
  /** The options about the server that the command has; all when absent. */
  readonly targetOptions?: readonly TargetOption[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly examples: readonly [Example, ...Example[]];
  /** The JSON that it prints, in one line for the reference; absent for commands that print no result. */
  readonly prints?: string;
  /** Endings beside those that every command has. */
  readonly endings?: readonly Ending[];
  /** Left out of the help: for the program itself. */
  readonly isHidden?: true;
  /** Every word is taken as it is: none is an option, and "--" means nothing. */
  readonly isRaw?: true;
}

/** A command: its words, and the work. Everything else (help, completion, reference) is made of this. */
export interface Command extends CommandText {
  readonly options: OptionSpecs;
  run(given: Given, context: CommandContext): Promise<Ending | void>;
}

interface CommandDefinition<Specs extends OptionSpecs> extends CommandText {
  readonly options?: Specs;
  /** Does the work. Throws `CliError` for everything that the user can do something about. */
  run(given: Given<Specs>, context: CommandContext): Promise<Ending | void>;
}

/** A command whose work sees its options with their types. */
export function defineCommand<const Specs extends OptionSpecs = OptionSpecs>(
  definition: CommandDefinition<Specs>,
): Command {
  const { options = {} } = definition;
  return { ...definition, options, run: (given, context) => definition.run(given as Given<Specs>, context) };
}

/** Commands that share their first word. Only its one line is there before it is loaded. */
export interface CommandGroup {
  readonly name: string;
  readonly says: string;
  readonly isHidden?: true;
  load(): Promise<readonly Command[]>;
}
