import { join, resolve } from 'node:path';
import { describeTarget, FILE_FORMATS, problemLine, separateSecrets, type ServerEntry } from '@crosspoint/host/config';
import { placeOf } from '../../configuration/json-tree.ts';
import { readSource, type SourceFile } from '../../configuration/read-source.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Colours } from '../../output/colours.ts';
import { readText } from '../../place/edit-file.ts';

/** One thing that is wrong with a file. No value of the file is in it. */
export interface LintProblem {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly server?: string;
}

export interface LintResult {
  readonly files: readonly { readonly file: string; readonly format: string; readonly servers: readonly string[] }[];
  readonly problems: readonly LintProblem[];
}

/** Checks files; without names, the user's and those of the folder that are there. */
export async function lintFiles(
  words: readonly string[],
  format: string | undefined,
  { io, home }: CommandContext,
): Promise<LintResult> {
  const named = words.map((word) => resolve(io.cwd, word));
  const files =
    named.length > 0
      ? named
      : await present([home.configFile, join(io.cwd, 'crosspoint.json'), join(io.cwd, '.mcp.json')]);
  if (files.length === 0)
    throw new CliError(
      'usage',
      `There is nothing to check: neither ${home.configFile} nor a file of this folder exists.`,
    );
  const sources = await Promise.all(files.map((file) => readSource(file, format)));
  const read = sources.map((source) => lintOne(source, { folder: io.cwd, isOwn: source.file === home.configFile }));
  return {
    files: read.map(({ source: { file, format: found }, entries }) => ({
      file,
      format: found,
      servers: entries.map(({ name }) => name),
    })),
    problems: read.flatMap(({ problems }) => problems),
  };
}

async function present(files: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readText(file)));
  return [...new Set(files.filter((_file, at) => texts[at] !== undefined))];
}

interface Linted {
  readonly source: SourceFile;
  readonly entries: readonly ServerEntry[];
  readonly problems: readonly LintProblem[];
}

function lintOne(source: SourceFile, { folder, isOwn }: { readonly folder: string; readonly isOwn: boolean }): Linted {
  const { file, format, text } = source;
  const scope = isOwn ? 'user' : 'project';
  const { entries, problems } = FILE_FORMATS[format].read(text, { file, scope, folder });
  const more = entries.flatMap((entry) => [...writtenSecrets(entry), ...risks(entry)]);
  const placed = more.map((problem) => ({ ...problem, file, ...placeOf(text, problem.pointer) }));
  return { source, entries, problems: [...problems.map((problem) => ({ ...problem, file })), ...placed] };
}

type Unplaced = Omit<LintProblem, 'file'> & { readonly pointer: string };

function writtenSecrets(entry: ServerEntry): Unplaced[] {
  const found: Unplaced[] = [];
  separateSecrets(entry, ({ pointer, server, value }) => {
    found.push({
      severity: 'warning',
      code: 'secret',
      message: 'A secret is written into the file. Keep it elsewhere, and write a reference.',
      pointer,
      server,
    });
    return value;
  });
  return found;
}

function risks(entry: ServerEntry): Unplaced[] {
  return describeTarget(entry.reach).warnings.map((message) => ({
    severity: 'warning',
    code: 'risk',
    message,
    pointer: entry.origin.pointer ?? '',
    server: entry.name,
  }));
}

export function lintText({ files, problems }: LintResult, { red, yellow, green }: Colours): string {
  if (problems.length === 0)
    return green(files.map(({ file, servers }) => `${file}: ${servers.length} servers, nothing wrong.`).join('\n'));
  return problems
    .map(({ severity, ...problem }) => {
      const line = problemLine({ ...problem, severity, code: 'type' });
      return `${severity === 'error' ? red('error') : yellow('warning')} ${line}`;
    })
    .join('\n');
}
