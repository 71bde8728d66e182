import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import { textOf, V1, type PackageManager } from './project.ts';

/**
 * Installs what the manifest says. npm keeps to its lock file and to what is there, also where an override is new: the SDK is taken out of both before, and nothing
 * else is.
 */
export async function install(folder: string, manager: PackageManager, signal: AbortSignal): Promise<void> {
  if (manager === 'npm') await forgetSdk(folder);
  const [command, ...args] = commandOf(manager);
  const code = await new Promise<number | null>((resolve, reject) => {
    // stdout belongs to the result.
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 2, 2], signal });
    child.once('error', reject);
    child.once('exit', resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (signal.aborted) throw signal.reason;
    throw new CliError('unreachable', `${manager} could not be started (${error.code ?? error.message}).`, {
      hint: `Install with ${manager} yourself, and run the command again with --no-install.`,
    });
  });
  if (code !== 0)
    throw new CliError('failed', `${manager} install ended with ${code}.`, {
      hint: 'crosspoint upgrade --undo takes the override away again.',
    });
}

function commandOf(manager: PackageManager): [string, ...string[]] {
  if (manager === 'npm') {
    const args = ['install', '--no-audit', '--no-fund'] as const;
    if (process.platform !== 'win32') return ['npm', ...args];
    return [process.execPath, join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js'), ...args];
  }
  return manager === 'pnpm' ? ['pnpm', 'install', '--no-frozen-lockfile'] : [manager, 'install'];
}

async function forgetSdk(folder: string): Promise<void> {
  const places: string[] = [];
  for (const file of ['package-lock.json', 'npm-shrinkwrap.json', join('node_modules', '.package-lock.json')]) {
    const text = textOf(join(folder, file));
    if (text === undefined) continue;
    const lock = JSON.parse(text) as { packages?: Record<string, unknown> };
    const packages = lock.packages ?? {};
    // Dependencies of the SDK stay: npm removes those that nothing needs any more.
    const found = Object.keys(packages).filter((place) => place.endsWith(`node_modules/${V1}`));
    places.push(...found);
    for (const place of found) delete packages[place];
    if (found.length > 0) await writeFile(join(folder, file), `${JSON.stringify(lock, undefined, 2)}\n`);
  }
  for (const place of new Set([...places, join('node_modules', V1)]))
    await rm(join(folder, place), { recursive: true, force: true });
}
