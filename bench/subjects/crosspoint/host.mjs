// A host of `@crosspoint/host` with servers in its own process: `tools` of them spread over `servers`, a policy, and the audit log on.
import { Host, toAnthropicTools, toOpenAiTools } from '@crosspoint/host';
import { McpServer } from 'crosspoint/server';
import { InMemoryTransport } from 'crosspoint/testing';
import { z } from 'zod';

const POLICY = {
  default: { call: 'allow' },
  rules: [
    { effect: 'deny', tool: 'delete_*' },
    { effect: 'ask', arguments: { '/path': { glob: '/etc/*' } } },
  ],
};

function makeServer(number, count) {
  const server = new McpServer({ name: `server-${number}`, version: '1.0.0' });
  const inputSchema = z.object({ a: z.number(), b: z.number(), path: z.string().optional() });
  for (let at = 0; at < count; at += 1)
    server.registerTool(
      `tool_${at}`,
      { description: `Adds two numbers, in the way of tool ${at}.`, inputSchema },
      ({ a, b }) => ({
        content: [{ type: 'text', text: String(a + b) }],
      }),
    );
  return server;
}

const reach = (server) => ({
  transport: async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    return near;
  },
});

/** Has every server tell that its tools have changed, and waits until the host has read them all. */
async function relist(host, servers) {
  const waiting = new Set(servers.keys());
  await new Promise((resolve) => {
    const stop = host.watch((event) => {
      if (event.type !== 'catalogue') return;
      waiting.delete(event.server);
      if (waiting.size > 0) return;
      stop();
      resolve();
    });
    for (const server of servers.values()) server.sendToolListChanged();
  });
  const tools = host.catalogue.tools();
  return toAnthropicTools(tools).tools.length + toOpenAiTools(tools).tools.length + host.tokens().total;
}

export async function start({ servers: count, tools }) {
  const servers = new Map(
    Array.from({ length: count }, (_, at) => [`s${at}`, makeServer(at, Math.ceil((tools - at) / count))]),
  );
  const reaches = Object.fromEntries([...servers].map(([name, server]) => [name, reach(server)]));
  const host = new Host({ name: 'bench', version: '1.0.0', servers: reaches, policy: POLICY, connectMs: 120_000 });
  await host.settled();
  const names = host.catalogue.tools().map(({ name }) => name);
  if (names.length !== tools) throw new Error(`The host has ${names.length} tools in place of ${tools}.`);
  let at = 0;
  return {
    commands: {
      /** Calls tools in turn, far from each other in the list. */
      async call({ calls }) {
        for (let left = calls; left > 0; left -= 1) {
          at = (at + 7919) % names.length;
          const { content } = await host.callTool(names[at], { a: 2, b: 3 });
          if (content[0].text !== '5') throw new Error(`${names[at]} answered ${content[0].text}.`);
        }
      },
      async list({ lists }) {
        for (let left = lists; left > 0; left -= 1) await relist(host, servers);
      },
    },
  };
}
