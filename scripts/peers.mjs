// Tries published servers with our client and published clients with our server, and holds what it finds against docs/peers.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './packages.mjs';
import { CLIENTS } from './peers/clients.mjs';
import { tryClient } from './peers/drive-client.mjs';
import { tryServer } from './peers/drive-server.mjs';
import { failedRow, pageOf, rowOf, rowsIn, sameRow } from './peers/page.mjs';
import { SERVERS } from './peers/servers.mjs';
import { installPublished, workFolder } from './swap/installations.mjs';

const HELP = `Tries published servers with our client, and our server with published clients.

  npm run peers                          tries every peer and compares with docs/peers.md
  npm run peers -- --only fastmcp        those whose name contains one of these; may be repeated
  npm run peers -- --write               writes what was found into docs/peers.md
  npm run peers -- --list                names the peers and installs nothing

The peers are installed from the registry that npm is configured with, in the versions of scripts/peers/servers.mjs and scripts/peers/clients.mjs,
without their install scripts, into a folder for temporary files, where the next run finds them. Each runs with an empty home folder, listens on
loopback and reaches nothing else. Ends with 1 when a peer did something else than the page says. The time to connect is not compared.`;

const PAGE = join(ROOT, 'docs', 'peers.md');
const PROGRAMS = join(ROOT, 'scripts', 'peers', 'programs');
const INSTALLING = 4;
const TRYING = 2;

/** Does something for every item, a few at a time, and keeps the order of what comes of it. */
async function inLanes(items, lanes, act) {
  const results = Array.from({ length: items.length });
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await act(items[index]);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

async function install(peer, work) {
  try {
    return { peer, folder: await installPublished(peer, { work, programs: join(PROGRAMS, `${peer.side}s`) }) };
  } catch (error) {
    return { peer, error };
  }
}

async function tryPeer({ peer, folder, error }) {
  if (error !== undefined) return [failedRow(peer, 'install', error)];
  try {
    const found = await (peer.side === 'server' ? tryServer(peer, folder) : tryClient(peer, folder));
    return found.map((one) => rowOf(peer, one));
  } catch (problem) {
    return [failedRow(peer, 'try', problem)];
  }
}

const isOf = (peers, row) => peers.some(({ side, name }) => side === row.side && name === row.name);

/** The rows that are not as the page says, as lines. */
function differencesFrom(known, found) {
  const gone = known.filter((row) => isOf(found, row) && !found.some(({ key }) => key === row.key));
  const changed = found.flatMap((row) => {
    const before = known.find(({ key }) => key === row.key);
    if (before === undefined) return [`new: ${row.line}`];
    return sameRow(before, row) ? [] : [`was: ${before.line}\nis:  ${row.line}`];
  });
  return [...gone.map(({ line }) => `gone: ${line}`), ...changed];
}

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      write: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  const all = [...SERVERS, ...CLIENTS];
  const peers = all.filter(({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)));
  if (peers.length === 0)
    throw new Error(`No peer has a name with ${values.only.join(' or ')} in it; --list names them.`);
  if (values.list) return console.log(peers.map(({ side, name, version }) => `${side} ${name} ${version}`).join('\n'));

  const started = performance.now();
  const installed = await inLanes(peers, INSTALLING, (peer) => install(peer, workFolder('peers')));
  console.log(`${peers.length} peers are installed after ${((performance.now() - started) / 1000).toFixed(0)} s.`);
  const rows = await inLanes(installed, TRYING, async (one) => {
    const made = await tryPeer(one);
    for (const { line } of made) console.log(line);
    return made;
  });
  const found = rows.flat();
  const known = rowsIn(readFileSync(PAGE, 'utf8'));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  if (values.write) {
    writeFileSync(PAGE, pageOf(SERVERS, CLIENTS, [...known.filter((row) => !isOf(found, row)), ...found]));
    return console.log(`\ndocs/peers.md has ${found.length} new rows, after ${seconds} s.`);
  }
  const differences = differencesFrom(known, found);
  console.log(`\n${differences.join('\n') || 'Every peer did what docs/peers.md says'}, after ${seconds} s.`);
  if (differences.length > 0) process.exitCode = 1;
}

await main();
