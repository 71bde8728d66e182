// Many changes in one turn are told once, when the author asks for it; and a client may have its lists read again for it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { say } from '../say.mjs';

async function run(debouncedNotificationMethods?: string[]): Promise<void> {
  const server = new McpServer(
    { name: 'busy', version: '1.0.0' },
    { capabilities: { logging: {} }, ...(debouncedNotificationMethods && { debouncedNotificationMethods }) },
  );
  server.registerTool('first', {}, () => ({ content: [] }));
  server.registerPrompt('first', {}, () => ({ messages: [] }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const sent: string[] = [];
  const send = near.send.bind(near);
  near.send = async (message: JSONRPCMessage, options) => {
    if ('method' in message) sent.push(message.method);
    await send(message, options);
  };
  const client = new Client({ name: 'patient', version: '1.0.0' });
  await Promise.all([server.connect(near), client.connect(far)]);
  for (let each = 0; each < 20; each += 1) {
    server.registerTool(`tool-${each}`, {}, () => ({ content: [] }));
    server.registerPrompt(`prompt-${each}`, {}, () => ({ messages: [] }));
    void server.sendLoggingMessage({ level: 'info', data: each });
  }
  await client.ping();
  const times = (method: string): number => sent.filter((one) => one === method).length;
  say(debouncedNotificationMethods ? 'debounced' : 'as they come', {
    // Without debouncing they are told at least once; how often is nobody's business.
    tools: debouncedNotificationMethods
      ? times('notifications/tools/list_changed')
      : times('notifications/tools/list_changed') > 0,
    prompts: debouncedNotificationMethods
      ? times('notifications/prompts/list_changed')
      : times('notifications/prompts/list_changed') > 0,
    logs: times('notifications/message'),
  });
  await client.close();
}
await run();
await run(['notifications/tools/list_changed', 'notifications/prompts/list_changed']);

const server = new McpServer({ name: 'busy', version: '1.0.0' });
server.registerTool('first', {}, () => ({ content: [] }));
const [near, far] = InMemoryTransport.createLinkedPair();
let told = (_names: string[]): void => {};
const refreshed = new Promise<string[]>((resolve) => {
  told = resolve;
});
const client = new Client(
  { name: 'reader', version: '1.0.0' },
  {
    listChanged: {
      tools: {
        autoRefresh: true,
        debounceMs: 20,
        onChanged: (error, tools) => told(error ? [error.message] : (tools ?? []).map(({ name }) => name)),
      },
    },
  },
);
await Promise.all([server.connect(near), client.connect(far)]);
for (const name of ['second', 'third', 'fourth']) server.registerTool(name, {}, () => ({ content: [] }));
say('read again', await refreshed);
await client.close();
say('done');
