import { writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { CommandContext } from '../../context.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import { defineCommand, type Command, type TargetWords } from '../../grammar/command.ts';
import { tableText } from '../../output/table.ts';
import { undoChanges, upgradeChanges, type Change } from './changes.ts';
import { install } from './install.ts';
import type { Spoken } from './spoken.ts';
import { entryFiles, MANAGERS, readProject, V1, type PackageManager, type Project } from './project.ts';

export const upgrade: Command = defineCommand({
  path: ['upgrade'],
  says: 'Put the SDK of Crosspoint into a project written for the official SDK v1, and show that its server speaks every revision.',
  about: `An override in package.json has the package manager install @crosspoint/sdk wherever a package asks for ${V1}; no line of the project changes. Then the server is started once for each revision: the program of "bin" or "main", or the command after "--". A project that has the SDK bundled into its own files is refused. --undo takes everything back.`,
  target: 'command',
  targetOptions: ['env'],
  arguments: [
    { name: 'folder', says: 'the folder of the project; this one when absent', isOptional: true, completes: 'file' },
  ],
  options: {
    'dry-run': { type: 'flag', says: 'Show the change, and write nothing.' },
    undo: { type: 'flag', says: 'Take the override away again.' },
    'no-install': { type: 'flag', says: 'Change the files alone: nothing is installed, and no server is started.' },
    'package-manager': {
      type: 'text',
      value: 'NAME',
      words: MANAGERS,
      says: 'The package manager; found by the lock file when absent.',
    },
  },
  examples: [
    { line: 'crosspoint upgrade --dry-run', says: 'Shows what would change in the project of this folder.' },
    {
      line: 'crosspoint upgrade my-server -- node my-server/dist/index.js --stdio',
      says: 'With the command of its server.',
    },
    { line: 'crosspoint upgrade my-server --undo', says: 'Takes it back.' },
  ],
  prints:
    '{ folder, packageManager, isDryRun, files: [{ file, before, after }], isInstalled, revisions: [{ revision, isConnected, tools?, error? }] }; exit code 7 when a revision is not spoken',
  endings: ['mismatch'],
  async run({ target, words: [given = '.'], options }, context) {
    const folder = resolve(context.io.cwd, given);
    const project = readProject(folder, options['package-manager'] as PackageManager | undefined);
    const changes = options.undo ? undoChanges(project) : upgradeChanges(project);
    if (options['dry-run']) return shown(project, { changes, isDryRun: true }, context);
    for (const { file, after } of changes) await writeFile(file, after);
    if (options['no-install']) return shown(project, { changes }, context);
    const words = options.undo ? undefined : (target ?? serverOf(project));
    context.output.note(`Installing with ${project.manager} …`);
    await install(folder, project.manager, context.signal);
    if (words === undefined) return shown(project, { changes, isInstalled: true }, context);
    const { spokenRevisions } = await import('./spoken.ts');
    const place = target === undefined ? folder : context.io.cwd;
    const revisions = await spokenRevisions(words, place, context);
    return shown(project, { changes, isInstalled: true, revisions }, context);
  },
});

/** The program of the project. */
function serverOf({ folder, manifest }: Project): TargetWords | undefined {
  const [entry] = entryFiles(folder, manifest);
  return entry === undefined ? undefined : { kind: 'command', command: process.execPath, args: [entry] };
}

interface Done {
  readonly changes: readonly Change[];
  readonly isDryRun?: boolean;
  readonly isInstalled?: boolean;
  readonly revisions?: readonly Spoken[];
}

function shown(
  { folder, manager }: Project,
  { changes, isDryRun = false, isInstalled = false, revisions = [] }: Done,
  { output }: CommandContext,
): Ending {
  const result = { folder, packageManager: manager, isDryRun, files: changes, isInstalled, revisions };
  output.result(result, () => {
    const files = changes.map(({ file, before, after }) => `${relative(folder, file)}\n${differenceOf(before, after)}`);
    const table = tableText([
      ['revision', 'connected', 'tools'],
      ...revisions.map(({ revision, isConnected, tools, error }) => [
        revision,
        isConnected ? 'yes' : 'no',
        isConnected ? String(tools ?? '') : (error ?? ''),
      ]),
    ]);
    const none = isInstalled ? 'No server was started: write its command after "--".' : 'Nothing was installed.';
    return [
      ...(changes.length === 0 ? ['Nothing is to be changed: it is done already.'] : files),
      '',
      revisions.length > 0 ? table : isDryRun ? 'Nothing was written.' : none,
    ].join('\n');
  });
  return revisions.some(({ isConnected }) => !isConnected) ? 'mismatch' : 'ok';
}

/** Lines that went and came. */
function differenceOf(before: string, after: string): string {
  const [old, young] = [before.split('\n'), after.split('\n')];
  const gone = old.filter((line) => !young.includes(line)).map((line) => `- ${line}`);
  const come = young.filter((line) => !old.includes(line)).map((line) => `+ ${line}`);
  return [...gone, ...come].join('\n');
}
