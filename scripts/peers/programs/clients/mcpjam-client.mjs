import { MCPClientManager } from '@mcpjam/sdk';
import { args, command, tell, url } from './steps.mjs';

const seen = { progress: [] };
const manager = new MCPClientManager(
  {},
  { defaultCapabilities: { elicitation: {} }, progressHandler: ({ progress }) => seen.progress.push(progress) },
);
await manager.connectToServer('ours', url === undefined ? { command, args } : { url });
manager.setElicitationHandler('ours', async () => ({ action: 'accept', content: { colour: 'blue' } }));
const call = (name, params = {}) => manager.executeTool('ours', name, params);
await tell(
  {
    tools: async () => (await manager.listTools('ours')).tools.map(({ name }) => name),
    answer: async () => (await call('add', { a: 2, b: 40 })).content[0].text,
    structured: async () => (await call('measure')).structuredContent,
    read: async () => (await manager.readResource('ours', { uri: 'note:///one' })).contents[0].text,
    template: async () => (await manager.readResource('ours', { uri: 'page:///7' })).contents[0].text,
    prompt: async () => {
      const { messages } = await manager.getPrompt('ours', { name: 'greet', arguments: { who: 'you' } });
      return messages[0].content.text;
    },
    progress: async () => (await call('count'), seen.progress),
    asked: async () => (await call('ask')).content[0].text,
    ping: async () => (await manager.pingServer('ours'), 'ok'),
  },
  () => manager.disconnectServer('ours'),
);
