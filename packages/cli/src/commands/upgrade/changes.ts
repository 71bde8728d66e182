import { join } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import { withMember, withoutMember } from '../../configuration/json-edit.ts';
import { VERSION } from '../../version.ts';
import { indentedLike } from './indent.ts';
import { textOf, V1, type Project } from './project.ts';

/** A file that is to be written. */
export interface Change {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

const REPLACEMENT = 'npm:@crosspoint/sdk';
const ALIAS = `${REPLACEMENT}@^${VERSION}`;
const WORKSPACE = 'pnpm-workspace.yaml';

/** The changes that put `@crosspoint/sdk` in the place of the official SDK; none where they are made already. */
export function upgradeChanges(project: Project): Change[] {
  const { folder, text, direct } = project;
  let after = text;
  if (direct !== undefined && !direct.version.startsWith(REPLACEMENT)) {
    // npm refuses an override that says something else than the dependency.
    after = withMember(after, [direct.section, V1], ALIAS);
    after = withMember(after, ['crosspoint', 'replaced'], { ...direct });
  }
  const yaml = project.manager === 'pnpm' ? textOf(join(folder, WORKSPACE)) : undefined;
  const path = overridePath(project);
  const known = overridesOf(project)?.[V1];
  if (known !== undefined && !isOurs(known))
    throw new CliError('usage', `package.json overrides ${V1} already, with ${JSON.stringify(known)}.`, {
      hint: 'Take that override away first.',
    });
  if (yaml === undefined && known === undefined) after = withMember(after, [...path, V1], ALIAS);
  return changed([
    { file: join(folder, 'package.json'), before: text, after: indentedLike(text, after) },
    ...(yaml === undefined ? [] : [{ file: join(folder, WORKSPACE), before: yaml, after: withYamlOverride(yaml) }]),
  ]);
}

/** The changes that undo it. */
export function undoChanges(project: Project): Change[] {
  const { folder, text, manifest } = project;
  const path = overridePath(project);
  let after = text;
  const overrides = overridesOf(project) ?? {};
  if (isOurs(overrides[V1]))
    after = withoutMember(after, Object.keys(overrides).length === 1 ? outermost(project, path) : [...path, V1]);
  const { replaced } = manifest.crosspoint ?? {};
  if (replaced !== undefined) {
    after = withMember(after, [replaced.section, V1], replaced.version);
    const isOnly = Object.keys(manifest.crosspoint ?? {}).length === 1;
    after = withoutMember(after, isOnly ? ['crosspoint'] : ['crosspoint', 'replaced']);
  }
  const yaml = project.manager === 'pnpm' ? textOf(join(folder, WORKSPACE)) : undefined;
  return changed([
    { file: join(folder, 'package.json'), before: text, after: indentedLike(text, after) },
    ...(yaml === undefined ? [] : [{ file: join(folder, WORKSPACE), before: yaml, after: withoutYamlOverride(yaml) }]),
  ]);
}

const changed = (changes: readonly Change[]): Change[] => changes.filter(({ before, after }) => before !== after);

const isOurs = (override: unknown): boolean => typeof override === 'string' && override.startsWith(REPLACEMENT);

function overridePath({ manager }: Project): readonly string[] {
  if (manager === 'yarn') return ['resolutions'];
  return manager === 'pnpm' ? ['pnpm', 'overrides'] : ['overrides'];
}

/** The outermost member that holds nothing but this override. */
function outermost({ manifest }: Project, path: readonly string[]): readonly string[] {
  return path[0] === 'pnpm' && Object.keys(manifest.pnpm ?? {}).length === 1 ? ['pnpm'] : path;
}

function overridesOf({ manager, manifest }: Project): Readonly<Record<string, unknown>> | undefined {
  if (manager === 'yarn') return manifest.resolutions;
  return manager === 'pnpm' ? manifest.pnpm?.overrides : manifest.overrides;
}

/** The lines of a text, each with its end. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/);

const isOverride = (line: string): boolean => /^[ \t]+['"]@modelcontextprotocol\/sdk['"]:/.test(line);

function withYamlOverride(yaml: string): string {
  const lines = linesOf(yaml);
  if (lines.some(isOverride)) return yaml;
  const line = `  '${V1}': '${ALIAS}'\n`;
  const head = lines.findIndex((one) => /^overrides:[ \t]*(?:#.*)?\r?\n/.test(one));
  if (head !== -1) return lines.toSpliced(head + 1, 0, line).join('');
  if (lines.some((one) => one.startsWith('overrides:')))
    throw new CliError('usage', `${WORKSPACE} has its overrides on one line, which is not changed here.`, {
      hint: `Add '${V1}': '${ALIAS}' to them, and run the command again with --no-install.`,
    });
  return `${yaml}${yaml === '' || yaml.endsWith('\n') ? '' : '\n'}overrides:\n${line}`;
}

function withoutYamlOverride(yaml: string): string {
  const lines = linesOf(yaml);
  const ours = lines.findIndex(isOverride);
  if (ours === -1 || !lines[ours]?.includes(REPLACEMENT)) return yaml;
  const without = lines.toSpliced(ours, 1).join('');
  return without.replace(/^overrides:[ \t]*\r?\n(?![ \t])/m, '');
}
