// Drives a published server with our own client.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { serve } from '../runtimes/processes.mjs';

export const HANDSHAKE_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const NEWEST = '2026-07-28';
/** The newest that v1 speaks: the one in which the two are compared, unless an older v1 speaks less. */
const COMPARED = '2025-11-25';

/** Each list of a server, and how a client reads all pages of it. */
export const LISTS = [
  ['tools', (client) => client.listTools()],
  ['prompts', (client) => client.listPrompts()],
  ['resources', (client) => client.listResources()],
  ['resourceTemplates', (client) => client.listResourceTemplates()],
];

/** How a server is started in the folder that it is installed in. */
export function commandOf({ name, start, program, args = [] }, folder) {
  const empty = join(folder, 'empty');
  mkdirSync(empty, { recursive: true });
  const file = program ?? join('node_modules', name, start);
  return [process.execPath, file, ...args.map((arg) => arg.replace('{folder}', empty))];
}

/** The first revision in which a server can ask. */
const ASKING = '2025-06-18';

function newClient(revision, { ask }) {
  const capabilities = ask === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: 'swap', version: '1.0.0' }, { revisions: [revision], capabilities });
  if (ask !== undefined)
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { colour: 'blue' } }));
  return client;
}

/** A server may have the capability and not this list. */
export async function listed(client, list, read) {
  try {
    return (await read(client))[list];
  } catch (error) {
    if (error.code === -32601) return undefined;
    throw error;
  }
}

/** Calls a tool, and throws when the answer is not the one that is expected. */
export async function callTool(client, { name, arguments: args, answer, rejects, fails = false }) {
  const called = client.callTool({ name, arguments: args });
  if (rejects !== undefined) {
    const message = await called.then(JSON.stringify, (error) => error.message);
    if (!rejects.test(message)) throw new Error(`${name} was not refused as expected: ${message}`);
    return;
  }
  const { content, isError } = await called;
  if ((isError === true) !== fails || !answer.test(content[0]?.text))
    throw new Error(`${name} answered ${JSON.stringify(content).slice(0, 300)}`);
}

/** Connects with one revision and gives what the server says of itself, its lists, what it reads and prompts. Fails when a call does. */
async function visit(published, folder, revision, url) {
  const [command, ...args] = commandOf(published, folder);
  const env = { ...published.env };
  const target = url ?? new StdioClientTransport({ command, args, env, cwd: folder, stderr: 'pipe' });
  const client = newClient(revision, published);
  try {
    await client.connect(target);
    const capabilities = client.getServerCapabilities() ?? {};
    const found = { info: client.getServerVersion(), revision: client.revision?.id };
    for (const [list, read] of LISTS)
      if (capabilities[list === 'resourceTemplates' ? 'resources' : list])
        found[list] = await listed(client, list, read);
    const { call, ask, prompt } = published;
    await callTool(client, call);
    if (ask !== undefined && revision >= ASKING) await callTool(client, ask);
    const [resource] = found.resources ?? [];
    if (resource !== undefined) found.read = (await client.readResource({ uri: resource.uri })).contents;
    if (prompt !== undefined) found.prompted = (await client.getPrompt(prompt)).messages;
    return found;
  } finally {
    await client.close().catch(() => {});
  }
}

/** Visits a server once for each revision. */
export async function visitAll(published, folder, revisions) {
  const http = published.http
    ? await serve(commandOf(published, folder), { cwd: folder, ready: /http:\S+\/mcp/, limitMs: 20_000 })
    : undefined;
  try {
    const visits = {};
    // One after the other: some servers write to files that all their processes share.
    for (const revision of revisions)
      visits[revision] = await visit(published, folder, revision, http?.match).catch(({ message }) => ({
        error: message,
      }));
    return visits;
  } finally {
    http?.stop();
  }
}

/** Where two values differ, as lines. */
function differences(v1, ours, path = '') {
  if (isDeepStrictEqual(v1, ours)) return [];
  if ([v1, ours].some((value) => typeof value !== 'object' || value === null))
    return [`${path}: ${JSON.stringify(v1)} with v1, ${JSON.stringify(ours)} with ours`];
  const keys = new Set([...Object.keys(v1), ...Object.keys(ours)]);
  return [...keys].flatMap((key) => differences(v1[key], ours[key], `${path}/${key}`));
}

/** The newest revision has no word for what a tool says of tasks. */
const withoutTasks = ({ tools, ...rest }) => ({
  ...rest,
  tools: tools?.map((tool) => ({ ...tool, execution: undefined })),
});
const namesIn = (found) =>
  Object.fromEntries(LISTS.map(([list]) => [list, found[list]?.map((item) => item.uri ?? item.name)]));

/**
 * Holds what a server says on each revision, swapped, against what it says with v1: the newest two revisions say the same, the older ones
 * list the same names.
 */
export async function tryServer(published, swapped, original) {
  const { compared = COMPARED } = published;
  const { [compared]: v1 } = await visitAll(published, original, [compared]);
  if (v1.error !== undefined) throw new Error(`With v1 it does not answer either: ${v1.error}`);
  const { revision: _, ...expected } = v1;
  const visits = await visitAll(published, swapped, published.revisions ?? [...HANDSHAKE_REVISIONS, NEWEST]);
  return Object.entries(visits).map(([name, { error, revision, ...found }]) => {
    if (error !== undefined) return { name, error };
    if (revision !== name) return { name, error: `it speaks ${revision}` };
    const [a, b] =
      name === compared
        ? [expected, found]
        : name === NEWEST
          ? [withoutTasks(expected), withoutTasks(found)]
          : [namesIn(expected), namesIn(found)];
    const lines = differences(a, b).filter((line) => !published.known?.some((pattern) => pattern.test(line)));
    return lines.length === 0 ? { name } : { name, error: lines.slice(0, 20).join('\n') };
  });
}
