import { resolve } from 'node:path';
import { defineCommand, type Command } from '../../grammar/command.ts';

/** The formats of configuration files; a test holds them against those of the host. */
export const FORMATS = ['crosspoint', 'claude-desktop', 'claude-code', 'vscode', 'cursor'] as const;

const OPTIONS = {
  to: { type: 'text', value: 'FORMAT', words: FORMATS, says: `The format to write: ${FORMATS.join(', ')}.` },
  output: { type: 'text', value: 'FILE', completes: 'file', says: 'Write it to this file, for you alone to read.' },
  'with-secrets': {
    type: 'flag',
    says: 'Write secrets as they stand in the file; otherwise each becomes a reference to a variable. Needs --output.',
  },
} as const;

const PRINTS =
  'the configuration itself; with --json: { format, document, lost: [{ pointer, server?, why }], problems, file? }';

export const convert: Command = defineCommand({
  path: ['servers', 'convert'],
  says: 'Write a configuration file in the format of another host.',
  about: 'Every field that the other format has no place for is told on stderr. The file itself is not changed.',
  arguments: [{ name: 'file', says: 'the file to convert', completes: 'file' }],
  options: {
    ...OPTIONS,
    format: { type: 'text', value: 'FORMAT', words: FORMATS, says: 'The format of the file, where it cannot be told.' },
  },
  examples: [
    {
      line: 'crosspoint servers convert .vscode/mcp.json --to claude-code --output .mcp.json',
      says: 'To Claude Code.',
    },
  ],
  prints: PRINTS,
  async run({ words: [file = ''], options }, context) {
    const { readSource } = await import('../../configuration/read-source.ts');
    const { printConverted } = await import('./converting.ts');
    const source = await readSource(resolve(context.io.cwd, file), options.format);
    await printConverted(source, { ...options, names: undefined }, context);
  },
});

export const exportServers: Command = defineCommand({
  path: ['servers', 'export'],
  says: 'Write your own servers in the format of another host.',
  about:
    'Every field that the other format has no place for is told on stderr. Kept secrets are not exported: the other host has to be given them.',
  arguments: [
    { name: 'name', says: 'the servers; all when absent', isOptional: true, isMany: true, completes: 'server' },
  ],
  options: OPTIONS,
  examples: [
    { line: 'crosspoint servers export --to vscode --output mcp.json', says: 'All of them, for VS Code.' },
    { line: 'crosspoint servers export files --to claude-desktop', says: 'One, on stdout.' },
  ],
  prints: PRINTS,
  async run({ words, options }, context) {
    const { readSource } = await import('../../configuration/read-source.ts');
    const { printConverted } = await import('./converting.ts');
    const { readServers } = await import('../../configuration/servers-file.ts');
    const { configFile } = context.home;
    const servers = await readServers(context.home);
    for (const name of words) servers.entry(name, configFile);
    const source = await readSource(configFile, 'crosspoint');
    await printConverted(source, { ...options, names: words.length === 0 ? undefined : words }, context);
  },
});
