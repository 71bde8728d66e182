import { McpServer, text } from 'crosspoint/server';
import { memoryStore } from 'crosspoint/stores';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import type { Host } from '../../src/host.ts';
import { child, closeHosts, inProcess, openHost } from './opened.ts';

afterEach(closeHosts);

const SERVERS = 20;
const TOOLS = 50;

/** Names of servers as people give them: plain, long, with spaces, and some that differ in little. */
const nameOf = (server: number): string =>
  [`server${server}`, `a server ${server}`, `${'long-'.repeat(20)}${server}`, `s_${server}`, `s__${server}`][
    server % 5
  ] ?? '';

/** Names of tools: plain, longer than an API takes, with other characters, and some that differ in their last letter alone. */
const toolOf = (at: number): string =>
  [`tool_${at}`, `${'get_the_very_long_name_of_'.repeat(4)}${at}`, `repo/${at}.read`, `__t${at}`, `T-${at}_x`][
    at % 5
  ] ?? '';

function numbered(server: number, tools = TOOLS): McpServer {
  const made = new McpServer({ name: 'many', version: '1.0.0' });
  for (let at = 0; at < tools; at += 1) made.registerTool(toolOf(at), {}, () => text(`${server}:${at}`));
  return made;
}

const answerOf = async (host: Host, name: string): Promise<unknown> =>
  ((await host.callTool(name)).content[0] as { text: string }).text;

/** The name in the catalogue → the answer that its tool gives. */
async function meanings(host: Host): Promise<Map<string, unknown>> {
  const tools = host.catalogue.tools();
  return new Map(await Promise.all(tools.map(async ({ name }) => [name, await answerOf(host, name)] as const)));
}

const everyServer = (): Record<string, ReturnType<typeof inProcess>> =>
  Object.fromEntries(Array.from({ length: SERVERS }, (_, at) => [nameOf(at), inProcess(numbered(at))]));

describe('a thousand tools of twenty servers', () => {
  it('are each callable by a name of their own, which survives restarts, joins and leaves', async () => {
    const options = { policy: { default: { call: 'allow' as const } }, store: memoryStore() };
    const host = openHost({ ...options, servers: everyServer() });
    await host.settled();
    const before = await meanings(host);
    expect(before.size).toBe(SERVERS * TOOLS);
    expect(new Set(before.values()).size).toBe(SERVERS * TOOLS);
    for (const name of before.keys()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);

    // Others join, with tools whose names look like those that are there, and one leaves.
    host.addServer('server', inProcess(numbered(100)));
    host.addServer('s', inProcess(numbered(101)));
    await host.settled();
    await host.servers.remove(nameOf(7));
    const joined = await meanings(host);
    expect(joined.size).toBe((SERVERS + 1) * TOOLS);
    for (const { name, server } of host.catalogue.tools())
      if (server !== 'server' && server !== 's') expect(joined.get(name)).toBe(before.get(name));

    // It comes back, and two are started anew.
    host.addServer(nameOf(7), inProcess(numbered(7)));
    for (const at of [0, 3]) host.servers.get(nameOf(at))?.restart();
    await host.servers.remove('server');
    await host.servers.remove('s');
    await until(() => host.servers.list().every(({ state }) => state.status === 'ready'));
    await host.settled();
    expect(await meanings(host)).toEqual(before);

    // Another run of the program, with the servers in another order.
    await host.close();
    const later = openHost({ ...options, servers: Object.fromEntries(Object.entries(everyServer()).toReversed()) });
    await later.settled();
    expect(await meanings(later)).toEqual(before);
  }, 60_000);

  it('keep their meaning while one server ends and is started again in the middle of calls', async () => {
    const servers = { ...everyServer(), [nameOf(4)]: child('fourth', '--tools', String(TOOLS)) };
    const host = openHost({ policy: { default: { call: 'allow' } }, servers });
    await host.settled();
    const own = host.catalogue.toolOf(nameOf(4), 'tool_7')?.name ?? '';
    const others = host.catalogue.tools().filter(({ server }) => server !== nameOf(4));
    await host.callTool(host.catalogue.toolOf(nameOf(4), 'die')?.name ?? '').catch(() => {});
    expect(await Promise.all(others.slice(0, 200).map(({ name }) => answerOf(host, name)))).toHaveLength(200);
    expect(host.catalogue.tool(own)).toBeDefined();
    expect(await answerOf(host, own)).toBe('fourth 7');
  }, 60_000);
});
