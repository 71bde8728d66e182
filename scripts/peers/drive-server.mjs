// Drives a published server with our own client, as it is after `npm install`: no revision is asked for, every capability is declared.
import { Client, provideRoots } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { freePort } from '../first-hour/folder.mjs';
import { serve, serveOn } from '../runtimes/processes.mjs';
import { LISTS, callTool, commandOf, listed } from '../swap/drive-server.mjs';
import { Findings, bounded, shortened } from './findings.mjs';
import { peerEnvironment } from './environment.mjs';
import { survivors, treeOf } from './process-tree.mjs';

const START_MS = 60_000;
const CONNECT_MS = 60_000;
/** Our client sends SIGTERM to a server that has not ended this long after its stdin has. */
const GRACE_MS = 4_000;
const GONE_MS = 2_000;

const WORDS = { tools: 'tool', prompts: 'prompt', resources: 'resource', resourceTemplates: 'template' };
const counted = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

function newClient({ answer }) {
  const client = new Client(
    { name: 'peers', version: '1.0.0' },
    { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } },
  );
  client.setRequestHandler('elicitation/create', () =>
    answer === undefined ? { action: 'decline' } : { action: 'accept', content: answer },
  );
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    content: { type: 'text', text: 'four' },
    model: 'none',
  }));
  provideRoots(client, [{ uri: 'file:///peers', name: 'peers' }]);
  return client;
}

/** Reads every list that the server declares, and gives them by name. */
async function readLists(client, found) {
  const capabilities = client.getServerCapabilities() ?? {};
  const lists = {};
  for (const [list, read] of LISTS) {
    const capability = list === 'resourceTemplates' ? 'resources' : list;
    if (!capabilities[capability]) {
      if (list !== 'resourceTemplates') found.cannot.push(capability);
      continue;
    }
    await found.step(`${WORDS[list]}s`, async () => {
      lists[list] = await listed(client, list, read);
      if (lists[list] === undefined) throw Object.assign(new Error('there is no such method'), { code: -32601 });
      return counted(lists[list].length, WORDS[list]);
    });
  }
  return lists;
}

/** Gives up a call as soon as it is sent: the server has to stay of use. */
async function cancel(client, { name, arguments: args }) {
  const controller = new AbortController();
  const call = client.callTool({ name, arguments: args }, { signal: controller.signal });
  setImmediate(() => controller.abort(new Error('given up')));
  const outcome = await call.then(
    () => 'answered before it was cancelled',
    (error) => (controller.signal.aborted ? undefined : Promise.reject(error)),
  );
  await client.ping();
  return outcome === undefined ? 'cancellation' : undefined;
}

const wordsFor = ({ name, fails, rejects, shows = 'call' }) =>
  `${shows} \`${name}\`${fails ? ' (`isError`)' : rejects === undefined ? '' : ' (an error)'}`;

async function useServer(client, peer, found) {
  const capabilities = client.getServerCapabilities() ?? {};
  const { resources = [], tools = [] } = await readLists(client, found);
  for (const call of [peer.call, peer.ask, ...(peer.more ?? [])].filter(Boolean)) {
    await found.step(wordsFor(call), async () => {
      if (call.rejects === undefined && !tools.some(({ name }) => name === call.name))
        throw new Error('it is not in the list');
      await callTool(client, call);
    });
  }
  const [resource] = resources;
  if (resource !== undefined) await found.step('read', () => client.readResource({ uri: resource.uri }));
  if (peer.prompt !== undefined) await found.step('prompt', () => client.getPrompt(peer.prompt));
  if (!capabilities.completions) found.cannot.push('completion');
  else if (peer.complete !== undefined) await found.step('completion', () => client.complete(peer.complete));
  await found.step('ping', () => client.ping());
  if (!capabilities.logging) found.cannot.push('log level');
  else await found.step('log level', () => client.setLoggingLevel('error'));
  if (!capabilities.resources?.subscribe) found.cannot.push('subscription');
  else if (resource !== undefined)
    await found.step('subscription', async () => {
      const watch = await client.watch({ resource: resource.uri }, { onchange: () => {} });
      await watch.close();
    });
  if (peer.call !== undefined) await found.step('cancellation', () => cancel(client, peer.call));
}

/** Closes, and looks whether anything that the server started is still there. */
async function closeStdio(client, transport, found) {
  const pids = transport.pid === null ? [] : treeOf(transport.pid);
  if (transport.skippedLines > 0) found.cannot.push('keep its stdout free of other text');
  const since = performance.now();
  await bounded(client.close(), 'close');
  const took = performance.now() - since;
  const left = await survivors(pids, GONE_MS);
  if (left.length > 0) found.failed.push(`close: ${counted(left.length, 'process')} left`);
  else if (took < GRACE_MS) found.worked.push('close');
  else found.cannot.push('end with its stdin (a signal ends it)');
}

async function overStdio(peer, folder) {
  const found = new Findings('stdio');
  const [command, ...args] = commandOf(peer, folder);
  const env = { ...peerEnvironment(folder), ...peer.env };
  const transport = new StdioClientTransport({
    command,
    args,
    env,
    cwd: folder,
    stderr: 'pipe',
    closeGraceMs: GRACE_MS,
  });
  const client = newClient(peer);
  try {
    await connect(client, transport, found);
    await useServer(client, peer, found);
    await closeStdio(client, transport, found);
  } catch (error) {
    found.failed.push(`${error.step ?? 'use'}: ${shortened(error)}`);
  } finally {
    await client.close().catch(() => {});
  }
  return found;
}

async function connect(client, target, found) {
  const since = performance.now();
  await bounded(client.connect(target, { timeoutMs: CONNECT_MS }), 'connect', CONNECT_MS + 5_000);
  found.connectMs = performance.now() - since;
  found.revision = client.revision?.id ?? '–';
}

/** Starts a server over HTTP: one that says its address, or one that is told its port. */
async function startHttp(peer, folder) {
  const { prints = peer.http, path = '/mcp', env = {}, ...started } = peer.overHttp ?? {};
  const port = await freePort();
  const fill = (text) => text.replaceAll('{port}', String(port));
  const { args = [], ...rest } = { ...peer, ...started };
  const command = commandOf({ ...rest, args: args.map(fill) }, folder);
  const filled = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
  const options = { cwd: folder, env: { ...peerEnvironment(folder), ...peer.env, ...filled }, limitMs: START_MS };
  if (prints) {
    const { match, ...server } = await serve(command, { ...options, ready: /http:\S+\/mcp/ });
    return { ...server, url: match };
  }
  return { ...(await serveOn(port, command, options)), url: `http://127.0.0.1:${port}${path}` };
}

async function overHttp(peer, folder) {
  const found = new Findings('HTTP');
  let server;
  const client = newClient(peer);
  try {
    server = await startHttp(peer, folder);
    await connect(client, server.url, found);
    await useServer(client, peer, found);
    await found.step('close', () => client.close());
  } catch (error) {
    found.failed.push(`${error.step ?? 'start'}: ${shortened(error)}`);
  } finally {
    await client.close().catch(() => {});
    if (server !== undefined) await stopWhole(server);
  }
  return found;
}

async function stopWhole({ stop, pid }) {
  const pids = treeOf(pid);
  stop();
  await survivors(pids, GONE_MS);
}

/**
 * Tries a server over each transport that it has.
 * @param {import('./servers.mjs').PeerServer} peer
 * @param {string} folder in which it is installed
 */
export async function tryServer(peer, folder) {
  const results = [];
  if (!peer.http && !peer.onlyHttp) results.push(await overStdio(peer, folder));
  if (peer.http || peer.overHttp !== undefined) results.push(await overHttp(peer, folder));
  return results;
}
