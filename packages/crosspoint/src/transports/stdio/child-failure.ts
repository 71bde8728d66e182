import { existsSync } from 'node:fs';
import { TransportError } from '../../protocol/errors.ts';
import type { Program } from './identity.ts';
import { redactText } from '../../protocol/redaction/redact-text.ts';
import { maskArguments, maskValues, secretValues } from './secrets.ts';

export interface ChildEnd {
  readonly pid: number | undefined;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Why a command could not be started, and what to do about it. */
export function spawnFailure(program: Program, cause: Error): TransportError {
  const { code } = cause as NodeJS.ErrnoException;
  const message = `Could not start "${program.command}": ${spawnReason(program, code, cause)}`;
  return new TransportError('spawn-failed', message, { ...describe(program), errno: code }, { cause });
}

function spawnReason({ command, cwd }: Program, code: string | undefined, cause: Error): string {
  if (cwd !== undefined && !existsSync(cwd)) return `the working directory "${cwd}" does not exist.`;
  if (code === 'EACCES') return 'the file is not executable, or access to it was denied.';
  if (code !== 'ENOENT') return redactText(cause.message);
  if (/[/\\]/.test(command)) return 'no such file. A relative path is looked up from the working directory.';
  const windows = process.platform === 'win32' ? ' On Windows, also try the full name, such as npx.cmd.' : '';
  return `the command was not found on the PATH. Programs started from a desktop often have a shorter PATH than a terminal; give the full path, or PATH in "env".${windows}`;
}

/** How a child ended, with the last lines of its stderr. */
export function childExited(program: Program, end: ChildEnd, prefix?: string): TransportError {
  const described = describe(program);
  const stderr = maskValues(redactText(end.stderr), secretValues(program.args, end.env));
  const how = end.signal === null ? `exited with code ${end.exitCode ?? 'unknown'}` : `was ended by ${end.signal}`;
  const lines = [`${prefix ?? ''}The server "${[described.command, ...described.args].join(' ')}" ${how}.`];
  if (stderr !== '') lines.push('Its last lines on stderr:', stderr.replaceAll(/^/gm, '  '));
  else lines.push('It wrote nothing to stderr.');
  const { pid, exitCode, signal } = end;
  return new TransportError('child-exited', lines.join('\n'), { ...described, pid, exitCode, signal, stderr });
}

function describe(program: Program): { command: string; args: string[]; cwd: string | undefined } {
  return { command: program.command, args: maskArguments(program.args), cwd: program.cwd };
}
