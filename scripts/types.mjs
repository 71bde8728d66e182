// Types of the packages as they would be published, in every way in which a project finds them and with TypeScript 5.0 to 7: a program compiles, a
// wrong one has the errors that it must have, and what is emitted runs. Ends with 1 when anything failed.
//   npm run types                   the oldest and the newest versions, and those in which something changed
//   npm run types -- 5.3 5.6        other versions
//   npm run types -- node16         the cells whose name contains one of these words
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm } from './first-hour/folder.mjs';
import { PACKAGES, ROOT, manifestOf } from './packages.mjs';
import { packReleases, startRegistry } from './swap/registry.mjs';
import { cellsOf } from './types/cells.mjs';
import { aliasOf, tryCell } from './types/programs.mjs';

const VERSIONS = ['5.0', '5.4', '5.8', '5.9', '6.0', '7.0'];
const AT_ONCE = 2;

const isVersion = (word) => /^\d+\.\d+$/.test(word);
const wanted = process.argv.slice(2);
const words = wanted.filter((word) => !isVersion(word));
const versions = wanted.some(isVersion) ? wanted.filter(isVersion) : VERSIONS;
const cells = cellsOf(versions).filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));

const started = performance.now();
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const folder = mkdtempSync(join(tmpdir(), 'crosspoint-types-'));
const registry = await startRegistry(await packReleases(join(folder, 'releases')));

async function install() {
  const { devDependencies } = manifestOf({ folder: ROOT });
  const others = ['zod', '@types/node', '@types/express', '@opentelemetry/api'];
  const inFolder = { registry: registry.address, cwd: folder };
  await npm(['init', '-y'], inFolder);
  await npm(
    [
      'install',
      ...PACKAGES.map(({ name }) => name),
      ...others.map((name) => `${name}@${devDependencies[name]}`),
      ...versions.map((version) => `${aliasOf(version)}@npm:typescript@${version}`),
    ],
    inFolder,
  );
}

const failed = [];
async function tryNamed(cell, at) {
  const since = performance.now();
  const error = await tryCell(cell, join(folder, `cell-${at}`)).then(
    () => undefined,
    (reason) => reason,
  );
  console.log(`${error === undefined ? 'ok  ' : 'FAIL'}  ${cell.name.padEnd(40)}${seconds(since).padStart(8)}`);
  if (error === undefined) return;
  failed.push(cell.name);
  console.log(String(error.stack ?? error).replaceAll(/^/gm, '      '));
}

try {
  await install();
  console.log(`Installed in ${seconds(started)}.`);
  const waiting = cells.entries();
  const work = async () => {
    for (const [at, cell] of waiting) await tryNamed(cell, at);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
} finally {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${cells.length - failed.length} of ${cells.length} cells passed, in ${seconds(started)}.`);
if (failed.length > 0 || cells.length === 0) process.exitCode = 1;
