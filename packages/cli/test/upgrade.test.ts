import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crosspoint } from './crosspoint.ts';

const V1 = '@modelcontextprotocol/sdk';
/** As a person has written it: two spaces, a list on one line, no line end at its end. */
const MANIFEST = `{
  "name": "old-server",
  "files": ["dist", "README.md"],
  "dependencies": {
    "${V1}": "^1.20.0",
    "zod": "^3.25.0"
  }
}`;

function project(files: Readonly<Record<string, string>>): ReturnType<typeof crosspoint> & {
  readonly folder: string;
  readonly text: (file: string) => string;
} {
  const made = crosspoint();
  const folder = join(made.home, 'project');
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return { ...made, folder, text: (file) => readFileSync(join(folder, file), 'utf8') };
}

describe('crosspoint upgrade', () => {
  it.each([
    ['npm', { 'package-lock.json': '{}' }, (read: any) => read.overrides],
    ['yarn', { 'yarn.lock': '' }, (read: any) => read.resolutions],
    ['pnpm', { 'pnpm-lock.yaml': '' }, (read: any) => read.pnpm.overrides],
    ['bun', { 'bun.lock': '' }, (read: any) => read.overrides],
    ['npm', {}, (read: any) => read.overrides],
  ] as const)(
    'puts the override of %s into package.json, and takes it back to the letter',
    async (manager, lock, of) => {
      const { run, folder, text } = project({ 'package.json': MANIFEST, ...lock });
      const dry = await run(['upgrade', folder, '--dry-run']);
      expect(dry.json()).toMatchObject({ packageManager: manager, isDryRun: true, files: [{ before: MANIFEST }] });
      expect(text('package.json')).toBe(MANIFEST);
      const done = await run(['upgrade', folder, '--no-install']);
      expect(done.json()).toMatchObject({ packageManager: manager, isInstalled: false, revisions: [] });
      const written = text('package.json');
      const read = JSON.parse(written) as Record<string, Record<string, string>>;
      expect(of(read)).toEqual({ [V1]: expect.stringMatching(/^npm:@crosspoint\/sdk@\^\d/) });
      expect(read['dependencies']?.[V1]).toBe(of(read)[V1]);
      expect(written).toContain('"files": ["dist", "README.md"]');
      expect((await run(['upgrade', folder, '--no-install'])).json()).toMatchObject({ files: [] });
      expect((await run(['upgrade', folder, '--undo', '--no-install'])).code).toBe(0);
      expect(text('package.json')).toBe(MANIFEST);
    },
  );

  it.each(['\t', '    '])('indents what it adds as the file is: %j', async (unit) => {
    const manifest = `${MANIFEST.replaceAll('  ', unit)}\n`;
    const { run, folder, text } = project({ 'package.json': manifest });
    await run(['upgrade', folder, '--no-install']);
    const lines = text('package.json').split('\n');
    expect(lines).toContain(`${unit}"overrides": {`);
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${unit}${unit}"${V1}": "npm:`)));
    await run(['upgrade', folder, '--undo', '--no-install']);
    expect(text('package.json')).toBe(manifest);
  });

  it('uses pnpm-workspace.yaml where there is one, and keeps other overrides', async () => {
    const yaml = "packages:\n  - '.'\noverrides:\n  left-pad: 1.3.0\n";
    const { run, folder, text } = project({
      'package.json': MANIFEST,
      'pnpm-lock.yaml': '',
      'pnpm-workspace.yaml': yaml,
    });
    await run(['upgrade', folder, '--no-install']);
    expect(text('pnpm-workspace.yaml')).toMatch(
      /overrides:\n  '@modelcontextprotocol\/sdk': 'npm:@crosspoint\/sdk@.*'\n  left-pad/,
    );
    await run(['upgrade', folder, '--undo', '--no-install']);
    expect(text('pnpm-workspace.yaml')).toBe(yaml);
    expect(text('package.json')).toBe(MANIFEST);
  });

  it.each([
    ['without a package.json', {}, 'There is no package.json'],
    ['without the SDK', { 'package.json': '{ "dependencies": { "zod": "4" } }' }, 'does not depend on'],
    ['with a broken package.json', { 'package.json': '{ "dependencies": ' }, 'is no JSON object'],
    [
      'that bundles it',
      { 'package.json': `{ "dependencies": { "${V1}": "1" }, "bundleDependencies": ["${V1}"] }` },
      'bundles @modelcontextprotocol/sdk with the project',
    ],
    [
      'that has it inside its program',
      {
        'package.json': `{ "bin": "server.js", "devDependencies": { "${V1}": "1" } }`,
        'server.js': 'var a="notifications/initialized";',
      },
      'has @modelcontextprotocol/sdk inside',
    ],
    [
      'with two lock files',
      { 'package.json': MANIFEST, 'yarn.lock': '', 'package-lock.json': '{}' },
      'has lock files of npm and yarn',
    ],
    [
      'with another override',
      { 'package.json': `{ "dependencies": { "a": "1" }, "overrides": { "${V1}": "1.2.3" } }`, 'yarn.lock': V1 },
      '',
    ],
  ])('refuses a project %s, and writes nothing', async (_what, files, message) => {
    const { run, folder, text } = project(files);
    const words = message === '' ? ['--package-manager', 'npm'] : [];
    const { code, error } = await run(['upgrade', folder, '--no-install', ...words]);
    expect(code).toBe(1);
    expect(error().message).toContain(message === '' ? 'overrides @modelcontextprotocol/sdk already' : message);
    for (const [file, before] of Object.entries(files)) expect(text(file)).toBe(before);
  });

  it('points to the root of a workspace, where its lock file is', async () => {
    const { home, run, folder } = project({ 'package.json': MANIFEST });
    writeFileSync(join(home, 'package.json'), '{ "workspaces": ["project"] }');
    writeFileSync(join(home, 'package-lock.json'), '{}');
    const { code, error } = await run(['upgrade', folder, '--no-install']);
    expect(code).toBe(1);
    expect(error().message).toContain('an override belongs there');
  });
});
