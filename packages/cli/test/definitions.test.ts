import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { agentPage } from '../src/grammar/agent-page.ts';
import { GLOBAL_OPTIONS, TARGET_OPTIONS } from '../src/grammar/global-options.ts';
import { commandHelp } from '../src/grammar/help.ts';
import { parseLine } from '../src/grammar/parse.ts';
import { loadGroups, referencePage } from '../src/grammar/reference.ts';
import { coloursFor } from '../src/output/colours.ts';
import { GROUPS } from '../src/tree.ts';
import { crosspoint } from './crosspoint.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const groups = await loadGroups(GROUPS);
const commands = groups.flatMap((group) => group.commands);

/** Commands whose result is no JSON: they serve, or print a script or a page. */
const WITHOUT_RESULT = ['agent-help', 'bridge', 'completion', 'record', 'shell'];

/** The words of a line as a shell splits it, as far as examples need: quotes, pipes before it, and redirections behind it. */
function shellWords(line: string): string[] {
  const [command = ''] = line.split(' | ').toReversed();
  const words = [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/['"]/g, ''));
  const end = words.findIndex((word) => /^>>?$/.test(word));
  return end === -1 ? words : words.slice(0, end);
}

describe.each(commands.map((command) => [command.path.join(' '), command] as const))(
  'crosspoint %s',
  (name, command) => {
    it('has help with an example whose line fits its own grammar', () => {
      const help = commandHelp(command, coloursFor({}, {}));
      for (const { line, says } of command.examples) {
        expect(help).toContain(line);
        expect(says).toMatch(/^[A-Z].*\.$/s);
        const words = shellWords(line);
        expect(words.slice(0, command.path.length + 1)).toEqual(['crosspoint', ...command.path]);
        expect(() => parseLine(command, words.slice(command.path.length + 1))).not.toThrow();
      }
    });

    it('says what it does, what its words and options mean, and what it prints', () => {
      expect(command.says).toMatch(/^[A-Z][a-z]+ .*\.$/s);
      for (const { says } of command.arguments ?? []) expect(says).not.toBe('');
      for (const [option, spec] of Object.entries(command.options)) {
        expect({ option, says: spec.says }).toEqual({ option, says: expect.stringMatching(/^[A-Z].*\.$/s) });
        expect([...Object.keys(GLOBAL_OPTIONS), ...(command.target ? Object.keys(TARGET_OPTIONS) : [])]).not.toContain(
          option,
        );
        if ('words' in spec) expect(spec.words?.length).toBeGreaterThan(1);
      }
      expect({ name, prints: command.prints !== undefined }).toEqual({ name, prints: !WITHOUT_RESULT.includes(name) });
    });
  },
);

describe('the definitions', () => {
  it('have one command for each line of words, under its group', () => {
    expect(new Set(commands.map(({ path }) => path.join(' '))).size).toBe(commands.length);
    for (const { group, commands: own } of groups) {
      expect(own.length).toBeGreaterThan(0);
      for (const { path } of own) expect(path[0]).toBe(group.name);
      expect(group.says).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('make the reference, docs/cli.md', async () => {
    await expect(referencePage(groups)).toMatchFileSnapshot('../../../docs/cli.md');
  });

  it('make a page for agents of at most 6,000 bytes, with every command', async () => {
    const page = agentPage(groups);
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(6000);
    for (const { path } of commands) expect(page).toContain(path.at(-1));
    const { run } = crosspoint();
    const printed = await run(['agent-help']);
    expect({ code: printed.code, stdout: printed.stdout }).toEqual({ code: 0, stdout: page });
    const help = await run(['tools', 'call', '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('crosspoint tools call ev get-sum a=1 b=2');
  });
});

describe('lines of the documentation', () => {
  const pages = ['README.md', 'packages/cli/README.md', 'docs/guide'].flatMap((path) => {
    const full = join(ROOT, path);
    return statSync(full).isFile() ? [full] : readdirSync(full).map((name) => join(full, name));
  });
  const lines = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
      .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
      .filter((line) => /^(?:npx @crosspoint\/cli|crosspoint) /.test(line))
      .map((line) => ({ page: page.slice(ROOT.length), line: line.replace('npx @crosspoint/cli', 'crosspoint') })),
  );

  it('fit the grammar of their commands', () => {
    expect(lines.length).toBeGreaterThan(20);
    for (const { page, line } of lines) {
      const [, ...words] = shellWords(line);
      const command = commands.find(({ path }) => path.every((word, at) => words[at] === word));
      expect({ page, line, isKnown: command !== undefined }).toEqual({ page, line, isKnown: true });
      if (command !== undefined) expect(() => parseLine(command, words.slice(command.path.length)), line).not.toThrow();
    }
  });
});
