// Drives a published server with our own client.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { serve } from '../runtimes/processes.mjs';

export const HANDSHAKE_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const NEWEST = '2026-07-28';
/** The newest that v1 speaks: the one in which the two are compared. */
const COMPARED = '2025-11-25';

const LISTS = [
  ['tools', (client) => client.listTools()],
  ['prompts', (client) => client.listPrompts()],
  ['resources', (client) => client.listResources()],
  ['resourceTemplates', (client) => client.listResourceTemplates()],
];

function commandOf({ name, start, program, args = [] }, folder) {
  const empty = join(folder, 'empty');
  mkdirSync(empty, { recursive: true });
  const file = program ?? join('node_modules', name, start);
  return [process.execPath, file, ...args.map((arg) => arg.replace('{folder}', empty))];
}

/** Connects with one revision and gives what the server says of itself, its lists, and the answer to the call. */
async function visit(published, folder, revision, url) {
  const [command, ...args] = commandOf(published, folder);
  const target = url ?? new StdioClientTransport({ command, args, cwd: folder, stderr: 'pipe' });
  const client = new Client({ name: 'swap', version: '1.0.0' }, { revisions: [revision] });
  try {
    await client.connect(target);
    const capabilities = client.getServerCapabilities() ?? {};
    const found = { info: client.getServerVersion(), revision: client.revision?.id };
    for (const [list, read] of LISTS)
      if (capabilities[list === 'resourceTemplates' ? 'resources' : list]) found[list] = (await read(client))[list];
    const { call } = published;
    const { content, isError } = await client.callTool({ name: call.name, arguments: call.arguments });
    if (isError === true || !call.answer.test(content[0]?.text))
      throw new Error(`${call.name} answered ${JSON.stringify(content).slice(0, 300)}`);
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
  const { [COMPARED]: v1 } = await visitAll(published, original, [COMPARED]);
  if (v1.error !== undefined) throw new Error(`With v1 it does not answer either: ${v1.error}`);
  const { revision: _, ...expected } = v1;
  const visits = await visitAll(published, swapped, [...HANDSHAKE_REVISIONS, NEWEST]);
  return Object.entries(visits).map(([name, { error, revision, ...found }]) => {
    if (error !== undefined) return { name, error };
    if (revision !== name) return { name, error: `it speaks ${revision}` };
    const [a, b] =
      name === COMPARED
        ? [expected, found]
        : name === NEWEST
          ? [withoutTasks(expected), withoutTasks(found)]
          : [namesIn(expected), namesIn(found)];
    const lines = differences(a, b).filter((line) => !published.known?.some((pattern) => pattern.test(line)));
    return lines.length === 0 ? { name } : { name, error: lines.slice(0, 20).join('\n') };
  });
}
