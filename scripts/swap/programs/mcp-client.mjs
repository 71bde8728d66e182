import { MCPClient } from 'mcp-client';
import { args, command, giveUp, tell, url } from './steps.mjs';

const client = new MCPClient({ name: 'peer', version: '1.0.0' });
await client.connect(url === undefined ? { type: 'stdio', command, args } : { type: 'httpStream', url });
const call = (name, params = {}, requestOptions = {}) =>
  client.callTool({ name, arguments: params }, { requestOptions });
await tell(
  {
    tools: async () => (await client.getAllTools()).map(({ name }) => name),
    answer: async () => (await call('add', { a: 2, b: 40 })).content[0].text,
    structured: async () => (await call('measure')).structuredContent,
    read: async () => (await client.getResource({ uri: 'note:///one' })).contents[0].text,
    template: async () => (await client.getResource({ uri: 'page:///7' })).contents[0].text,
    prompt: async () => (await client.getPrompt({ name: 'greet', arguments: { who: 'you' } })).messages[0].content.text,
    complete: async () => {
      const ref = { type: 'ref/prompt', name: 'greet' };
      return (await client.complete({ ref, argument: { name: 'who', value: 'y' } })).completion.values;
    },
    log: async () => {
      const lines = [];
      client.on('loggingMessage', ({ said }) => lines.push({ said }));
      await client.setLoggingLevel('info');
      await call('tell');
      return lines;
    },
    progress: async () => {
      const seen = [];
      await call('count', {}, { onProgress: ({ progress }) => seen.push(progress) });
      return seen;
    },
    cancelled: () => giveUp((signal) => call('wait', {}, { signal })),
    ping: async () => (await client.ping(), 'ok'),
  },
  () => client.close(),
);
