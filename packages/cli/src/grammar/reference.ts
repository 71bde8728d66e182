import { ENDING_WORDS, EXIT_CODES, type Ending } from '../errors/exit-codes.ts';
import type { Command, CommandGroup, OptionSpec, OptionSpecs } from './command.ts';
import { GLOBAL_OPTIONS, TARGET_OPTIONS } from './global-options.ts';
import { usageOf } from './parse.ts';

/** A first word with its commands. */
export interface LoadedGroup {
  readonly group: CommandGroup;
  readonly commands: readonly Command[];
}

/** Every command that users see, loaded. */
export async function loadGroups(groups: readonly CommandGroup[]): Promise<readonly LoadedGroup[]> {
  const shown = groups.filter(({ isHidden }) => isHidden !== true);
  return Promise.all(
    shown.map(async (group) => ({
      group,
      commands: (await group.load()).filter(({ isHidden }) => isHidden !== true),
    })),
  );
}

const INTRODUCTION = `# The command line

This page is made of the definitions of the commands by \`npx vitest run packages/cli/test/definitions.test.ts -u\`; \`crosspoint COMMAND --help\` says the same.
[The recipes](guide/cli-recipes.md) tell what to type for which purpose.

\`\`\`sh
npm install --global @crosspoint/cli      # or npx @crosspoint/cli …
crosspoint tools ls -- npx -y @modelcontextprotocol/server-everything
\`\`\`

## The server

Every command that takes a server takes it as its first word, or as everything after \`--\`:

| SERVER | |
|---|---|
| \`NAME\` | a kept connection, or else a configured server |
| \`FILE.json#NAME\` | a server of a configuration file, of any host |
| \`https://…\` | an address |
| \`FILE.mcpb\` | a bundle |
| \`-- COMMAND ARGS\` | a program, at the end of the line |

Nothing is guessed: a name that does not exist is an error that lists similar ones.

## Output

The result goes to stdout: as words on a terminal, as one line of JSON when piped or with \`--json\`. Everything else goes to stderr. An error is one line of JSON
on stderr then: \`{ "error": { "ending", "exitCode", "message", "hint"?, "suggestions"? } }\`. Shapes under "JSON" below do not change within a major version; members may be added.
`;

/** The page of all commands, in Markdown. */
export function referencePage(groups: readonly LoadedGroup[]): string {
  const codes = Object.entries(EXIT_CODES).map(
    ([ending, code]) => `| ${code} | \`${ending}\` | ${ENDING_WORDS[ending as Ending]} |`,
  );
  return [
    INTRODUCTION,
    '## Exit codes\n',
    '| Code | Ending | |\n|---|---|---|',
    ...codes,
    '\n## Options of every command\n',
    optionTable(GLOBAL_OPTIONS),
    '\n## Options of every command that takes a server\n',
    optionTable(TARGET_OPTIONS),
    '\n## Commands\n',
    '| Command | |\n|---|---|',
    ...groups.flatMap(({ commands }) =>
      commands.map(({ path, says }) => `| [\`${path.join(' ')}\`](#crosspoint-${path.join('-')}) | ${cell(says)} |`),
    ),
    '',
    ...groups.flatMap(({ commands }) => commands.map(commandSection)),
  ].join('\n');
}

function commandSection(command: Command): string {
  const { path, says, about, arguments: args = [], options, examples, prints, targetOptions } = command;
  const words = args.map(({ name, says: what }) => `| \`${name.toUpperCase()}\` | ${cell(what)} |`);
  const taken = targetOptions?.map((name) => `\`--${name}\``).join(', ');
  return [
    `## crosspoint ${path.join(' ')}`,
    '',
    says,
    '',
    `\`\`\`\n${usageOf(command)}\n\`\`\``,
    ...(about === undefined ? [] : ['', markdown(about)]),
    ...(words.length === 0 ? [] : ['', '| Word | |\n|---|---|', ...words]),
    ...(Object.keys(options).length === 0 ? [] : ['', optionTable(options)]),
    ...(taken === undefined ? [] : ['', `Of the options about the server it takes ${taken}.`]),
    '',
    '```sh',
    ...examples.flatMap(({ line, says: what }) => [`# ${what}`, line]),
    '```',
    '',
    prints === undefined ? 'JSON: none.' : `JSON: \`${prints}\``,
    '',
  ].join('\n');
}

function optionTable(options: OptionSpecs): string {
  const rows = Object.entries(options).map(
    ([name, spec]) => `| \`${optionWord(name, spec)}\` | ${cell(spec.says)}${allowed(spec)} |`,
  );
  return ['| Option | |', '|---|---|', ...rows].join('\n');
}

function optionWord(name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? '' : `-${spec.short}, `;
  return `${short}--${name}${spec.type === 'flag' ? '' : ` ${spec.value}`}`;
}

function allowed(spec: OptionSpec): string {
  if (spec.type === 'text' && spec.words !== undefined)
    return ` One of ${spec.words.map((word) => `\`${word}\``).join(', ')}.`;
  if (spec.type === 'number') return ` From ${spec.least} to ${spec.most}.`;
  return spec.type === 'texts' ? ' May be repeated.' : '';
}

const cell = (text: string): string => markdown(text).replaceAll('|', '\\|');
/** Texts of the definitions are plain: signs that Markdown or a page would act on stand for themselves. */
const markdown = (text: string): string => text.replaceAll(/[<>*_`[\]]/g, (sign) => `\\${sign}`);
