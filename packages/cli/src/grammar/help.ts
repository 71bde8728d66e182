import type { Colours } from '../output/colours.ts';
import { tableText } from '../output/table.ts';
import type { Command, CommandGroup, OptionSpec, OptionSpecs } from './command.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { targetOptionsOf, usageOf } from './parse.ts';

/** The first page: every first word. */
export function mainHelp(groups: readonly CommandGroup[], { bold }: Colours): string {
  const shown = groups.filter(({ isHidden }) => isHidden !== true);
  return [
    'crosspoint: connects to any server of the Model Context Protocol, of every revision.',
    '',
    `${bold('Usage:')} crosspoint COMMAND [SERVER] [words] [options]`,
    '',
    bold('SERVER is one of'),
    indented(
      tableText([
        ['NAME', 'a kept connection, or a configured server'],
        ['FILE.json#NAME', 'a server of a configuration file, of any host'],
        ['https://…', 'an address'],
        ['FILE.mcpb', 'a bundle'],
        ['-- COMMAND ARGS', 'a program, at the end of the line'],
      ]),
    ),
    '',
    bold('Commands'),
    indented(tableText(shown.map(({ name, says }) => [name, says]))),
    '',
    bold('Examples'),
    '  crosspoint tools ls -- npx -y @modelcontextprotocol/server-everything',
    '  crosspoint connect --as ev -- npx -y @modelcontextprotocol/server-everything',
    '  crosspoint tools call ev get-sum a:=1 b:=2',
    '',
    'crosspoint COMMAND --help tells more. Results go to stdout, JSON when piped; everything else goes to stderr.',
    '',
  ].join('\n');
}

/** The page of a first word with several commands. */
export function groupHelp({ name, says }: CommandGroup, commands: readonly Command[], { bold }: Colours): string {
  const rows = commands.filter(({ isHidden }) => isHidden !== true).map((command) => [usageOf(command), command.says]);
  return [
    says,
    '',
    bold('Commands'),
    indented(tableText(rows)),
    '',
    `crosspoint ${name} VERB --help tells more.`,
    '',
  ].join('\n');
}

const EVERY_FORM = 'a name, FILE.json#NAME, an address, FILE.mcpb, or "-- COMMAND ARGS" at the end';

/** The page of one command. */
export function commandHelp(command: Command, { bold }: Colours): string {
  const { says, about, target, isTargetLast, targetSays = EVERY_FORM, options, examples, prints } = command;
  const { arguments: args = [] } = command;
  const words = args.map(({ name, says: what }) => [name.toUpperCase(), what]);
  const server = target === undefined || target === 'command' ? [] : [['SERVER', targetSays]];
  const all = isTargetLast === true ? [...words, ...server] : [...server, ...words];
  const sections: (readonly [string, string] | undefined)[] = [
    all.length > 0 ? ['Words', tableText(all)] : undefined,
    Object.keys(options).length > 0 ? ['Options', optionsText(options)] : undefined,
    target === undefined ? undefined : ['Options for the server', optionsText(targetOptionsOf(command))],
    ['Options of every command', optionsText(GLOBAL_OPTIONS)],
    ['Examples', examples.map(({ line, says: what }) => `${line}\n    ${what}`).join('\n')],
    prints === undefined ? undefined : ['JSON', prints],
  ];
  return [
    says,
    '',
    `${bold('Usage:')} ${usageOf(command)}`,
    ...(about === undefined ? [] : ['', about]),
    ...sections.flatMap((section) => (section === undefined ? [] : ['', bold(section[0]), indented(section[1])])),
    '',
  ].join('\n');
}

function optionsText(options: OptionSpecs): string {
  return tableText(Object.entries(options).map(([name, spec]) => [optionWord(name, spec), spec.says]));
}

function optionWord(name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? '' : `-${spec.short}, `;
  return `${short}--${name}${spec.type === 'flag' ? '' : ` ${spec.value}`}`;
}

const indented = (text: string): string => text.replaceAll(/^/gm, '  ');
