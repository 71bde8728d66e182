import type { ArgumentSpec, Command, Completes, OptionSpec } from '../../grammar/command.ts';
import { optionsOf } from '../../grammar/parse.ts';

/** Things that a word may be completed with. */
export type AskedFor =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'lookup';
      readonly completes: Completes;
      /** The server as it was typed, where a word before names one. */
      readonly server: string | undefined;
      /** Words before that were typed for the arguments of the command. */
      readonly before: readonly { readonly spec: ArgumentSpec; readonly word: string }[];
    };

export type Lookup = AskedFor & { kind: 'lookup' };

/** Names of arguments that stand on the line already. */
export function givenNames({ before }: Lookup): ReadonlySet<string> {
  return new Set(before.map(({ word }) => word.split(/:?=/, 1)[0] ?? ''));
}

const NOTHING: AskedFor = { kind: 'nothing' };

interface Typed {
  readonly positionals: readonly string[];
  readonly options: ReadonlySet<string>;
  /** The option whose value comes next. */
  readonly open: OptionSpec | undefined;
  /** Everything is a word of the server's own command. */
  readonly isOver: boolean;
}

/** Finds the candidates for the last of the words after the name of a command. */
export function askedFor(command: Command, words: readonly string[]): AskedFor {
  const current = words.at(-1) ?? '';
  const specs = optionsOf(command);
  const typed = read(words.slice(0, -1), specs);
  if (typed.isOver) return command.target === undefined ? NOTHING : { kind: 'files' };
  if (typed.open !== undefined) return valueOf(typed.open, '');
  const [, name, prefix] = /^(?:--([\w-]+))(=)/.exec(current) ?? [];
  if (name !== undefined && prefix !== undefined) {
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    return spec === undefined || spec.type === 'flag' ? NOTHING : valueOf(spec, `--${name}=`);
  }
  if (current.startsWith('-')) {
    const open = Object.entries(specs).filter(([one, { type }]) => type === 'texts' || !typed.options.has(one));
    const end = command.target === undefined ? [] : ['--'];
    return { kind: 'words', words: [...open.map(([one]) => `--${one}`), ...end] };
  }
  return positional(command, typed.positionals);
}

function read(words: readonly string[], specs: Readonly<Record<string, OptionSpec>>): Typed {
  const positionals: string[] = [];
  const options = new Set<string>();
  let open: OptionSpec | undefined;
  for (const word of words) {
    if (open !== undefined) open = undefined;
    else if (word === '--') return { positionals, options, open, isOver: true };
    else if (word.startsWith('--')) {
      const [name = ''] = word.slice(2).split('=');
      options.add(name);
      const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
      if (spec !== undefined && spec.type !== 'flag' && !word.includes('=')) open = spec;
    } else if (!word.startsWith('-')) positionals.push(word);
  }
  return { positionals, options, open, isOver: false };
}

/** Values of an option, after what was typed of it: `--family=`. */
function valueOf(spec: OptionSpec, before: string): AskedFor {
  if (spec.type === 'text' && spec.words !== undefined)
    return { kind: 'words', words: spec.words.map((word) => `${before}${word}`) };
  if (before !== '' || spec.type === 'flag' || spec.type === 'number' || spec.completes === undefined) return NOTHING;
  if (spec.completes === 'file') return { kind: 'files' };
  return { kind: 'lookup', completes: spec.completes, server: undefined, before: [] };
}

function positional(command: Command, positionals: readonly string[]): AskedFor {
  const { target, isTargetLast, arguments: args = [] } = command;
  const takesName = target === 'needed' || target === 'optional';
  const place = isTargetLast === true ? args.length : 0;
  const server = takesName ? positionals[place] : undefined;
  if (takesName && positionals.length === place)
    return { kind: 'lookup', completes: 'server', server: undefined, before: [] };
  const words = takesName ? positionals.toSpliced(place, 1) : positionals;
  const last = args.at(-1);
  const specOf = (at: number): ArgumentSpec | undefined => args[at] ?? (last?.isMany === true ? last : undefined);
  const spec = specOf(words.length);
  if (spec === undefined) return NOTHING;
  if (spec.words !== undefined) return { kind: 'words', words: spec.words };
  if (spec.completes === undefined) return NOTHING;
  if (spec.completes === 'file') return { kind: 'files' };
  const before = words.flatMap((word, at) => {
    const one = specOf(at);
    return one === undefined ? [] : [{ spec: one, word }];
  });
  return { kind: 'lookup', completes: spec.completes, server, before };
}
