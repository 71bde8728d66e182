import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { visibleLine } from '@crosspoint/host';
import { bad, good, type Finding } from './finding.ts';
import type { CommandPatient } from './patient.ts';

/** Programs whose first plain argument is a file that they run. */
const RUNS_A_FILE = /^(?:node|bun|deno|python\d*(?:\.\d+)?|ruby|php|perl|tsx|ts-node)(?:\.exe)?$/;
const HAS_EXTENSION = /\.(?:[cm]?[jt]s|py|rb|php|pl)$/;

/** Whether the command can be run at all: its folder, the program, and the script that it is to run. */
export function examineCommand({ reach, env, cwd }: CommandPatient): Finding {
  const { command, args = [] } = reach;
  const folder = resolve(cwd, reach.cwd ?? '.');
  const shown = JSON.stringify(visibleLine(command));
  if (!existsSync(folder))
    return bad(
      'command',
      `The folder ${JSON.stringify(visibleLine(folder))} does not exist.`,
      'Make it, or change "cwd" (--cwd).',
    );
  const found = find(command, reach.env?.['PATH'] ?? env['PATH'] ?? '', folder);
  if (found === undefined)
    return /[\\/]/.test(command)
      ? bad(
          'command',
          `There is no file ${shown} to run.`,
          'Write its full path. A relative path begins at the working folder.',
        )
      : bad(
          'command',
          `The program ${shown} is not on the PATH.`,
          'Install it, or write its full path. Programs that were started from a desktop have a shorter PATH than a terminal; PATH in "env" sets it.',
        );
  if (!isRunnable(found))
    return bad('command', `The file ${JSON.stringify(found)} may not be run.`, `chmod +x ${found}`);
  const script = RUNS_A_FILE.test(command.split(/[\\/]/).at(-1) ?? '')
    ? args.find((word) => !word.startsWith('-'))
    : undefined;
  if (script !== undefined && HAS_EXTENSION.test(script) && !existsSync(resolve(folder, script)))
    return bad(
      'command',
      `The script ${JSON.stringify(visibleLine(resolve(folder, script)))} does not exist.`,
      'Build the server first, or write the full path of the script: a relative path begins at the working folder.',
    );
  return good('command', `${found} can be run.`);
}

function find(command: string, path: string, folder: string): string | undefined {
  if (/[\\/]/.test(command)) return fileAt(isAbsolute(command) ? command : resolve(folder, command));
  return path
    .split(delimiter)
    .filter((part) => part !== '')
    .map((part) => fileAt(resolve(folder, join(part, command))))
    .find((file) => file !== undefined);
}

function fileAt(path: string): string | undefined {
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];
  return endings
    .map((ending) => `${path}${ending}`)
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
