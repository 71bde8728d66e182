// A copy of the official SDK's checkout in which every source of the library passes on what @crosspoint/sdk exports at the same path. Tests,
// examples and the programs that tests start keep their relative imports and meet our package, at run time and in the compiler.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { packReleases, startRegistry } from '../swap/registry.mjs';
import { workFolder } from '../swap/installations.mjs';
import { npmCommand } from '../runtimes/install.mjs';
import { run } from '../runtimes/processes.mjs';

const INSTALL_MS = 300_000;
const COPIED = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
  'vitest.setup.ts',
  'src',
  'test',
];
/** Folders of `src/` that are programs and parts of tests, not the library. */
const NOT_THE_LIBRARY = ['examples', '__fixtures__', '__mocks__'];

async function npm(args, folder) {
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  const { code, output } = await run(npmCommand([...args, ...flags]), { cwd: folder, limitMs: INSTALL_MS });
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed: ${output.trim().slice(-800)}`);
}

function copyCheckout(checkout, folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of COPIED) {
    rmSync(join(folder, name), { recursive: true, force: true });
    cpSync(join(checkout, name), join(folder, name), { recursive: true });
  }
}

function replaceLibrary(folder) {
  const source = join(folder, 'src');
  for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    const parts = path.split(sep);
    if (!path.endsWith('.ts') || NOT_THE_LIBRARY.includes(parts[0])) continue;
    const specifier = `@crosspoint/sdk/${parts.join('/').replace(/\.ts$/, '.js')}`;
    writeFileSync(join(source, path), `export * from '${specifier}';\n`);
  }
}

/** Runs `act` unless it was run with the same key before. */
async function once(mark, key, act) {
  if (existsSync(mark) && readFileSync(mark, 'utf8') === key) return;
  rmSync(mark, { force: true });
  await act();
  writeFileSync(mark, key);
}

/**
 * Installs what the tests need and our packages as they would be published. What was installed is kept for the next run.
 * @param {string} checkout absolute path of a checkout of the branch v1.x
 */
export async function installSuite(checkout) {
  const manifestFile = join(checkout, 'package.json');
  const { name, version } = existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {};
  if (name !== '@modelcontextprotocol/sdk' || !version.startsWith('1.') || !existsSync(join(checkout, 'test')))
    throw new Error(`${checkout} is not a checkout of the official SDK's branch v1.x.`);

  const work = workFolder('v1-suite');
  const folder = join(work, 'suite');
  const releases = await packReleases(join(work, 'releases'));
  copyCheckout(checkout, folder);
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  await once(join(work, 'installed-theirs'), lock, async () => {
    rmSync(join(work, 'installed-ours'), { force: true });
    await npm(['ci'], folder);
  });
  const packed = releases.map(({ integrity }) => integrity).join(' ');
  await once(join(work, 'installed-ours'), packed, async () => {
    const registry = await startRegistry(releases);
    try {
      const ours = releases.map((release) => `${release.name}@${release.version}`);
      // npm would take the newest zod that ours allow.
      const zod = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages['node_modules/zod'];
      ours.push(`zod@${zod.version}`);
      rmSync(join(folder, 'node_modules', 'crosspoint'), { recursive: true, force: true });
      rmSync(join(folder, 'node_modules', '@crosspoint'), { recursive: true, force: true });
      await npm(['install', '--no-save', '--no-package-lock', `--registry=${registry.address}`, ...ours], folder);
    } finally {
      registry.close();
    }
  });
  replaceLibrary(folder);
  return { folder, name, version, ours: releases.find((release) => release.name === '@crosspoint/sdk').version };
}
