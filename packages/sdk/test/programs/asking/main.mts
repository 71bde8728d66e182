import { fileURLToPath } from 'node:url';
import { Client, getSupportedElicitationModes } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ElicitationCompleteNotificationSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  UrlElicitationRequiredError,
  type ClientCapabilities,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { say } from '../say.mjs';

const capabilities: ClientCapabilities = {
  sampling: { tools: {} },
  elicitation: { form: { applyDefaults: true }, url: {} },
  roots: { listChanged: true },
};
say('modes', getSupportedElicitationModes(capabilities.elicitation));
const client = new Client({ name: 'agent', version: '1.0.0' }, { capabilities });

client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => {
  const [message] = params.messages;
  const said = Array.isArray(message?.content) ? undefined : message?.content;
  if (said?.type === 'text' && said.text === 'refuse') throw new McpError(-1, 'The user said no');
  if (params.tools !== undefined)
    return {
      model: 'stub-1',
      role: 'assistant',
      stopReason: 'toolUse',
      content: [{ type: 'tool_use', id: 'use-1', name: params.tools[0]?.name ?? '', input: { city: 'Oslo' } }],
    };
  say('sampling', params);
  return {
    model: 'stub-1',
    role: 'assistant',
    stopReason: 'endTurn',
    content: { type: 'text', text: 'In short: yes.' },
  };
});

client.setRequestHandler(ElicitRequestSchema, async ({ params }): Promise<ElicitResult> => {
  if (params.mode === 'url') {
    say('url', { message: params.message, url: params.url, id: params.elicitationId });
    return { action: 'accept' };
  }
  say('form', { message: params.message, fields: Object.keys(params.requestedSchema.properties) });
  if (params.message.includes('Rome')) return { action: 'decline' };
  return { action: 'accept', content: { day: '2030-05-01', people: 3 } };
});

let roots = [{ uri: 'file:///home/notes', name: 'Notes' }];
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
const completed = new Promise<unknown>((resolve) => {
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => resolve(params.elicitationId));
});
const logged = new Promise<unknown>((resolve) => {
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => resolve(params.data));
});

await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('server.mjs', import.meta.url))],
  }),
);

async function call(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const { content } = await client.callTool({ name, arguments: args });
  return JSON.parse((content as { text: string }[])[0]?.text ?? '');
}
say('who', await call('who'));
say('summarize', await call('summarize', { letter: 'A long one' }));
say('by hand', await call('sample-by-hand'));
say('with tools', await call('with-tools'));
say('refused', await call('refused'));
say('booked', await call('book', { city: 'Paris' }));
say('declined', await call('book', { city: 'Rome' }));
say('paid', await call('pay'));
say('completed', await completed);
try {
  await client.callTool({ name: 'log-in-first' });
} catch (error) {
  say('log in', error instanceof UrlElicitationRequiredError && { code: error.code, asked: error.elicitations });
}
say('roots', await call('roots'));
roots = [...roots, { uri: 'file:///home/more', name: 'More' }];
await client.sendRootsListChanged();
say('roots changed', await logged);
await client.close();
say('done');
