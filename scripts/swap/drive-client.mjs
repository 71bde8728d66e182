// Drives a published client against our own server.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ROOT } from '../packages.mjs';
import { run, serve } from '../runtimes/processes.mjs';
import { HANDSHAKE_REVISIONS } from './drive-server.mjs';
import { withoutSdk } from './installations.mjs';

const CLIENT_MS = 60_000;
/** The program that clients are tried with. */
export const OUR_SERVER = join(ROOT, 'scripts', 'swap', 'programs', 'crosspoint-server.mjs');
/** Everything that a client can find, by the names of `programs/steps.mjs`; each tells as much as it can do. */
export const EXPECTED = {
  tools: ['add', 'measure', 'count', 'tell', 'wait', 'ask', 'sample', 'roots'],
  answer: '42',
  structured: { celsius: 21 },
  read: 'first',
  template: 'page 7',
  prompt: 'Hello, you!',
  complete: ['you'],
  progress: [1, 2, 3],
  log: [{ said: 'told' }],
  asked: 'accept: blue',
  sampled: 'The model says four.',
  roots: 'file:///peers',
  cancelled: 'cancelled',
  ping: 'ok',
};
/** The first revision in which a server can ask. */
const ASKING = '2025-06-18';

/** The keys of the line that are missing or wrong. */
function faultsIn(line, can) {
  const found = JSON.parse(line ?? '{}');
  return can.filter((key) => !isDeepStrictEqual(found[key], EXPECTED[key]));
}

async function runClient({ program, can }, folder, target, revision) {
  const { code, stdout, output } = await run([process.execPath, program, ...target], {
    cwd: folder,
    env: { STEPS: can.join(',') },
    limitMs: CLIENT_MS,
  });
  if (code !== 0) return `it ended with ${code}: ${output.trim().slice(-600)}`;
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  const faults = faultsIn(line, revision < ASKING ? can.filter((key) => key !== 'asked') : can);
  return faults.length === 0 ? undefined : `wrong: ${faults.join(', ')}; it printed ${output.trim().slice(-600)}`;
}

async function overHttp(published, folder, revision) {
  // The oldest revision has another transport, which these clients use only when they are told to.
  if (revision === HANDSHAKE_REVISIONS[0]) return undefined;
  const command = [process.execPath, OUR_SERVER, revision, 'http'];
  const { match, stop } = await serve(command, { cwd: ROOT, ready: /http:\S+\/mcp/, limitMs: 20_000 });
  try {
    return await runClient(published, folder, [match], revision);
  } finally {
    stop();
  }
}

/**
 * Lists, calls, and whatever else the client can do, on each revision with a handshake, over stdio and HTTP: on the paths of v1 a client keeps to these. Then once more with the
 * package taken away, which has to fail: else the client would carry a copy of v1 with it.
 */
export async function tryClient(published, swapped) {
  const results = [];
  for (const revision of HANDSHAKE_REVISIONS) {
    const target = [process.execPath, OUR_SERVER, revision, 'stdio'];
    const error =
      (await runClient(published, swapped, target, revision)) ?? (await overHttp(published, swapped, revision));
    results.push({ name: revision, error });
  }
  const target = [process.execPath, OUR_SERVER, HANDSHAKE_REVISIONS[0], 'stdio'];
  const alone = await withoutSdk(swapped, () => runClient(published, swapped, target, HANDSHAKE_REVISIONS[0]));
  if (alone === undefined) results.push({ name: 'needs the SDK', error: 'it runs without any, so it brings its own' });
  return results;
}
