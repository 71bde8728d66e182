import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  ErrorCode,
  LoggingMessageNotificationSchema,
  McpError,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { say, refusal } from '../say.mjs';

const client = new Client({ name: 'reader', version: '1.0.0' });
const inbox: unknown[] = [];
let wake = (): void => {};
const arrived = async (count: number): Promise<unknown[]> => {
  while (inbox.length < count) await new Promise<void>((resolve) => (wake = resolve));
  return inbox;
};
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
  inbox.push(params);
  wake();
});
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
  inbox.push(params);
  wake();
});

await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('server.mjs', import.meta.url))],
  }),
);
say('log', await arrived(1));
say('capabilities', client.getServerCapabilities());
say('instructions', client.getInstructions());

const first = await client.listTools();
say('first page', { names: first.tools.map(({ name }) => name), nextCursor: first.nextCursor });
const second = await client.listTools({ cursor: first.nextCursor });
say('second page', { names: second.tools.map(({ name }) => name), nextCursor: second.nextCursor });
say('lend', await client.callTool({ name: 'lend', arguments: { book: 'Emma' } }));
const burnt = await refusal(client.callTool({ name: 'burn', arguments: { book: 'Emma' } }));
say('burn', burnt);
try {
  await client.callTool({ name: 'hide' });
} catch (error) {
  say('hide', { known: error instanceof McpError, invalid: (error as McpError).code === ErrorCode.InvalidParams });
}
say('resources', (await client.listResources()).resources);
say('templates', (await client.listResourceTemplates()).resourceTemplates);
say('read', (await client.readResource({ uri: 'shelf:///1' })).contents);
await client.subscribeResource({ uri: 'shelf:///1' });
say('updated', (await arrived(2)).slice(1));
await client.unsubscribeResource({ uri: 'shelf:///1' });
say('prompts', (await client.listPrompts()).prompts);
say('prompt', (await client.getPrompt({ name: 'review', arguments: { book: 'Emma' } })).messages);
const completed = await client.complete({
  ref: { type: 'ref/prompt', name: 'review' },
  argument: { name: 'book', value: 'Em' },
});
say('completed', completed.completion);
await client.setLoggingLevel('error');
say('level', (await arrived(3)).slice(2));
await client.close();
say('done');
