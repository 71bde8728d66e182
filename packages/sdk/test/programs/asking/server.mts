import * as z from 'zod/v4';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CreateMessageResultSchema,
  ErrorCode,
  McpError,
  RootsListChangedNotificationSchema,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js';

const mcp = new McpServer({ name: 'travel', version: '1.0.0' }, { capabilities: { logging: {} } });
const text = (value: unknown): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
});

mcp.registerTool('summarize', { inputSchema: { letter: z.string() } }, async ({ letter }) => {
  const response = await mcp.server.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: `Summarize: ${letter}` } }],
    systemPrompt: 'Be brief.',
    maxTokens: 50,
    temperature: 0.2,
    stopSequences: ['END'],
    modelPreferences: { hints: [{ name: 'small' }], costPriority: 1 },
  });
  return text(response);
});

mcp.registerTool('sample-by-hand', {}, async ({ sendRequest }) => {
  const response = await sendRequest(
    {
      method: 'sampling/createMessage',
      params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello?' } }], maxTokens: 5 },
    },
    CreateMessageResultSchema,
  );
  return text({ model: response.model });
});

mcp.registerTool('with-tools', {}, async () => {
  const response = await mcp.server.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'What is the weather?' } }],
    tools: [{ name: 'weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }],
    toolChoice: { mode: 'required' },
    maxTokens: 100,
  });
  return text({ stopReason: response.stopReason, content: response.content });
});

mcp.registerTool('book', { inputSchema: { city: z.string() } }, async ({ city }) => {
  const answer = await mcp.server.elicitInput({
    mode: 'form',
    message: `When do you go to ${city}?`,
    requestedSchema: {
      type: 'object',
      properties: {
        day: { type: 'string', title: 'Day', format: 'date' },
        people: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
        seat: { type: 'string', enum: ['window', 'aisle'], default: 'aisle' },
        meals: { type: 'boolean', default: true },
      },
      required: ['day'],
    },
  });
  return text(answer);
});

mcp.registerTool('pay', {}, async () => {
  const notifyDone = mcp.server.createElicitationCompletionNotifier('payment-1');
  const answer = await mcp.server.elicitInput({
    mode: 'url',
    message: 'Pay at the bank',
    url: 'https://bank.example/pay?order=7',
    elicitationId: 'payment-1',
  });
  await notifyDone();
  return text(answer);
});

mcp.registerTool('log-in-first', {}, () => {
  throw new UrlElicitationRequiredError([
    { mode: 'url', message: 'Log in', url: 'https://travel.example/login', elicitationId: 'login-1' },
  ]);
});

mcp.registerTool('roots', {}, async () => text((await mcp.server.listRoots()).roots));
mcp.registerTool('who', {}, () =>
  text({ client: mcp.server.getClientVersion(), can: mcp.server.getClientCapabilities() }),
);
mcp.registerTool('refused', {}, async () => {
  try {
    await mcp.server.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: 'refuse' } }],
      maxTokens: 1,
    });
    return text('not refused');
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return text({ code: error.code, isInternal: error.code === ErrorCode.InternalError });
  }
});

mcp.server.setNotificationHandler(RootsListChangedNotificationSchema, async () => {
  const { roots } = await mcp.server.listRoots();
  await mcp.server.sendLoggingMessage({ level: 'notice', data: { roots: roots.length } });
});

await mcp.connect(new StdioServerTransport());
