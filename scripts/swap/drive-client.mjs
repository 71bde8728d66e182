// Drives a published client against our own server.
import { join } from 'node:path';
import { ROOT } from '../packages.mjs';
import { run, serve } from '../runtimes/processes.mjs';
import { HANDSHAKE_REVISIONS } from './drive-server.mjs';
import { withoutSdk } from './installations.mjs';

const CLIENT_MS = 60_000;
const OUR_SERVER = join(ROOT, 'scripts', 'swap', 'programs', 'crosspoint-server.mjs');
const EXPECTED = JSON.stringify({ tools: ['add'], answer: '42' });

async function runClient({ program }, folder, target) {
  const { code, stdout, output } = await run([process.execPath, program, ...target], {
    cwd: folder,
    limitMs: CLIENT_MS,
  });
  if (code !== 0) return `it ended with ${code}: ${output.trim().slice(-600)}`;
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  return line === EXPECTED ? undefined : `it printed ${output.trim().slice(-600)}`;
}

async function overHttp(published, folder, revision) {
  // The oldest revision has another transport, which these clients use only when they are told to.
  if (revision === HANDSHAKE_REVISIONS[0]) return undefined;
  const command = [process.execPath, OUR_SERVER, revision, 'http'];
  const { match, stop } = await serve(command, { cwd: ROOT, ready: /http:\S+\/mcp/, limitMs: 20_000 });
  try {
    return await runClient(published, folder, [match]);
  } finally {
    stop();
  }
}

/**
 * Lists and calls on each revision with a handshake, over stdio and HTTP: on the paths of v1 a client keeps to these. Then once more with the
 * package taken away, which has to fail: else the client would carry a copy of v1 with it.
 */
export async function tryClient(published, swapped) {
  const results = [];
  for (const revision of HANDSHAKE_REVISIONS) {
    const target = [process.execPath, OUR_SERVER, revision, 'stdio'];
    const error = (await runClient(published, swapped, target)) ?? (await overHttp(published, swapped, revision));
    results.push({ name: revision, error });
  }
  const target = [process.execPath, OUR_SERVER, HANDSHAKE_REVISIONS[0], 'stdio'];
  const alone = await withoutSdk(swapped, () => runClient(published, swapped, target));
  if (alone === undefined) results.push({ name: 'needs the SDK', error: 'it runs without any, so it brings its own' });
  return results;
}
