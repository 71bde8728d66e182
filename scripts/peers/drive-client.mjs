// Drives our own server with a published client. A step worked when the client tells what it should have found and our server has seen the request.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ROOT } from '../packages.mjs';
import { run, serve } from '../runtimes/processes.mjs';
import { EXPECTED, OUR_SERVER } from '../swap/drive-client.mjs';
import { peerEnvironment } from './environment.mjs';
import { Findings, shortened } from './findings.mjs';

const CLIENT_MS = 180_000;
const START_MS = 30_000;

/** The words for each step, and the method that our server must have seen for it. */
const STEPS = {
  tools: ['tools', 'tools/list'],
  answer: ['call', 'tools/call'],
  structured: ['structured content', 'tools/call'],
  read: ['read', 'resources/read'],
  template: ['read by template', 'resources/read'],
  prompt: ['prompt', 'prompts/get'],
  complete: ['completion', 'completion/complete'],
  progress: ['progress', 'tools/call'],
  log: ['log', 'tools/call'],
  asked: ['elicitation', 'tools/call'],
  sampled: ['sampling', 'tools/call'],
  roots: ['roots', 'tools/call'],
  cancelled: ['cancellation', 'tools/call'],
  ping: ['ping', 'ping'],
};

/** A step that the client does not declare or has no method for, or that its revision has no words for. */
const CANNOT = /has not declared|answers that it has no|is not supported by the negotiated protocol version/;

/** Everything that our server has noted. */
function readRecord(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

function judge(found, told, record) {
  const methods = new Set(record.map(({ method }) => method));
  const wasCancelled = record.some(({ cancelled }) => cancelled);
  for (const [step, [words, method]] of Object.entries(STEPS)) {
    const value = told[step];
    if (!Object.hasOwn(told, step) || CANNOT.test(value?.error ?? value)) found.cannot.push(words);
    else if (value?.error !== undefined) found.failed.push(`${words}: ${shortened(value.error)}`);
    else if (!isDeepStrictEqual(value, EXPECTED[step]))
      found.failed.push(`${words}: ${shortened(JSON.stringify(value))}`);
    else if (!methods.has(method)) found.cannot.push(`pass on ${words}`);
    else if (step === 'cancelled' && !wasCancelled) found.failed.push(`${words}: the server was not told`);
    else found.worked.push(words);
  }
}

/** The revisions that were spoken: more than one where a client connects anew for each step. */
function revisionsIn(record) {
  // A handshake begins before a revision is agreed on.
  const agreed = record.filter(
    ({ method, protocolVersion }) => method !== 'initialize' && protocolVersion !== undefined,
  );
  const spoken = new Set(agreed.map(({ protocolVersion }) => protocolVersion));
  return [...spoken].join(', ') || '–';
}

async function runClient(peer, folder, target, found) {
  const { code, stdout, output } = await run([process.execPath, peer.program, ...target], {
    cwd: folder,
    env: { ...peerEnvironment(folder), ...peer.env },
    limitMs: CLIENT_MS,
  });
  const line = stdout.split('\n').findLast((text) => text.startsWith('{'));
  if (line === undefined) {
    const [reason = ''] = output.match(/^.*(?:Error|error|within).*$/m) ?? [output.trim().split('\n').at(-1)];
    throw new Error(`it ended with ${code}: ${reason.trim()}`);
  }
  return { found, told: JSON.parse(line) };
}

async function tryOver(peer, folder, over) {
  const found = new Findings(over);
  const record = join(folder, `record-${over}.jsonl`);
  rmSync(record, { force: true });
  const ours = [process.execPath, OUR_SERVER, 'all', over === 'HTTP' ? 'http' : 'stdio', record];
  let http;
  try {
    if (over === 'HTTP') http = await serve(ours, { cwd: ROOT, ready: /http:\S+\/mcp/, limitMs: START_MS });
    const { told } = await runClient(peer, folder, http === undefined ? ours : [http.match], found);
    judge(found, told, readRecord(record));
  } catch (error) {
    found.failed.push(`connect: ${shortened(error)}`);
  } finally {
    http?.stop();
  }
  found.revision = revisionsIn(readRecord(record));
  return found;
}

/**
 * Tries a client over each transport that it has.
 * @param {import('./clients.mjs').PeerClient} peer
 * @param {string} folder in which it is installed
 */
export async function tryClient(peer, folder) {
  const results = [];
  for (const over of peer.over ?? ['stdio', 'HTTP']) results.push(await tryOver(peer, folder, over));
  return results;
}
