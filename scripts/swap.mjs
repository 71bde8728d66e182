// Installs published packages that depend on @modelcontextprotocol/sdk 1.x with @crosspoint/sdk in its place, by an override, and drives each on
// every revision that it can speak. Servers have to list what they list with v1.
//   npm run swap                     all of them
//   npm run swap -- fastmcp memory   those whose name contains one of these
// Our packages are packed and served by a registry on loopback; everything else comes from the registry that npm is configured with. What is
// installed is kept in a folder for temporary files. Three servers are also upgraded with `crosspoint upgrade`, and that is undone. Ends with 1 when anything failed.
import { join } from 'node:path';
import { HANDSHAKE_REVISIONS, NEWEST, tryServer } from './swap/drive-server.mjs';
import { tryClient } from './swap/drive-client.mjs';
import { installOriginal, installSwapped, sdkCopiesIn, workFolder } from './swap/installations.mjs';
import { PUBLISHED } from './swap/published.mjs';
import { packReleases, startRegistry } from './swap/registry.mjs';
import { tryUpgrade } from './swap/upgrade.mjs';

const COLUMNS = [...HANDSHAKE_REVISIONS, NEWEST];
const wanted = process.argv.slice(2);
const list = PUBLISHED.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
const started = performance.now();

/** Fails where anything in the folder still resolves to v1. */
function checkCopies(folder) {
  const copies = sdkCopiesIn(folder);
  if (copies.length === 0 || copies.some((name) => name !== '@crosspoint/sdk'))
    throw new Error(`The override was not followed everywhere: ${copies.join(', ') || 'there is no copy at all'}.`);
}

async function tryOne(published, context) {
  try {
    const [swapped, original] = await Promise.all([
      installSwapped(published, context),
      published.side === 'server' ? installOriginal(published, context) : undefined,
    ]);
    checkCopies(swapped);
    return await (published.side === 'server'
      ? tryServer(published, swapped, original)
      : tryClient(published, swapped));
  } catch (error) {
    return [{ name: 'set up', error: error.message }];
  }
}

function printRow({ name, version, side }, results, since) {
  const cells = COLUMNS.map((column) => {
    const result = results.find((one) => one.name === column);
    return (result === undefined ? '-' : result.error === undefined ? 'ok' : 'FAIL').padStart(12);
  });
  const seconds = `${((performance.now() - since) / 1000).toFixed(0)} s`;
  console.log([`${name} ${version}`.padEnd(60), side.padEnd(7), ...cells, seconds.padStart(7)].join(''));
  for (const { name: what, told } of results) if (told !== undefined) console.log(`    ${what}: ${told}`);
  for (const { name: what, error } of results)
    if (error !== undefined) console.log(`    ${what}\n      ${error.replaceAll('\n', '\n      ')}`);
}

/** `crosspoint upgrade` on the server's own package. */
async function upgraded(published, context) {
  if (published.upgrade !== true) return [];
  try {
    const revisions = await tryUpgrade(published, context);
    const told = revisions.map(({ revision, tools }) => `${revision}: ${tools} tools`);
    return [{ name: 'crosspoint upgrade', told: told.join(', ') }];
  } catch (error) {
    return [{ name: 'crosspoint upgrade', error: error.message }];
  }
}

const work = workFolder();
const releases = await packReleases(join(work, 'releases'));
const registry = await startRegistry(releases);
let failed = 0;
try {
  const context = { work, releases, registry: registry.address };
  console.log(
    ['package'.padEnd(60), 'side'.padEnd(7), ...COLUMNS.map((column) => column.padStart(12)), 'time'.padStart(7)].join(
      '',
    ),
  );
  for (const published of list) {
    const since = performance.now();
    const results = [...(await tryOne(published, context)), ...(await upgraded(published, context))];
    printRow(published, results, since);
    if (results.some(({ error }) => error !== undefined)) failed += 1;
  }
} finally {
  registry.close();
}
console.log(
  `\n${list.length - failed} of ${list.length} packages run on @crosspoint/sdk, in ${((performance.now() - started) / 1000).toFixed(0)} s.`,
);
if (failed > 0 || list.length === 0) process.exitCode = 1;
