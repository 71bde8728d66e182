import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { maskArguments } from './secrets.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
}

/**
 * A stable key for a program: command, arguments, the script they resolve to, and its version. Environment values and secret arguments are
 * left out, so that the key may be stored and a new secret does not change it.
 */
export function identityOf(program: Program): string {
  const script = scriptOf(program);
  const version = script === undefined ? launchedVersion(program) : packageVersion(script);
  return `stdio:${JSON.stringify([program.command, ...maskArguments(program.args)])}${script ?? ''}${version === undefined ? '' : `#${version}`}`;
}

/** The script that is run: the first argument that names a file, or the command itself when it is a path. */
function scriptOf({ command, args, cwd }: Program): string | undefined {
  const base = resolve(cwd ?? '.');
  const candidates = args.filter((arg) => !arg.startsWith('-') && /[./\\]/.test(arg));
  if (isAbsolute(command) || /[/\\]/.test(command)) candidates.push(command);
  for (const candidate of candidates) {
    const path = resolve(base, candidate);
    if (isFile(path)) return realpathSync(path);
  }
  return undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** `name@version` of the package that a file belongs to. */
function packageVersion(script: string): string | undefined {
  for (let folder = dirname(script); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) return readVersion(manifest);
    if (folder === dirname(folder)) return undefined;
  }
}

function readVersion(manifest: string): string | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown; version?: unknown };
    return typeof name === 'string' && typeof version === 'string' ? `${name}@${version}` : undefined;
  } catch {
    return undefined;
  }
}

const LAUNCHERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  uvx: [],
  pnpx: [],
  npm: ['exec', 'x'],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx'],
  bun: ['x'],
  pipx: ['run'],
  uv: ['tool', 'run'],
};

/** The package that a launcher fetches, if its version is pinned: `pkg@1.2.3`, `@scope/pkg@1.2.3`, `pkg==1.2.3`. */
function launchedVersion({ command, args }: Program): string | undefined {
  const words =
    LAUNCHERS[
      basename(command)
        .replace(/\.(?:cmd|exe|ps1)$/i, '')
        .toLowerCase()
    ];
  if (words === undefined) return undefined;
  const named = args.find((arg) => !arg.startsWith('-') && !words.includes(arg));
  return named !== undefined && /^.[^@=]*(?:@|==)\d/.test(named) ? named.replace('==', '@') : undefined;
}
