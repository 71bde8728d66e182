import { MCPClient } from '@mastra/mcp';
import { args, command, giveUp, tell, url } from './steps.mjs';

const seen = { progress: [], log: [] };
const answer = async () => ({ action: 'accept', content: { colour: 'blue' } });
const options = {
  enableProgressTracking: true,
  logger: ({ message }) => seen.log.push(message),
  // The way to answer in version 2; version 1 has `client.elicitation`.
  inputRequests: answer,
  roots: [{ uri: 'file:///peers', name: 'peers' }],
};
const server = url === undefined ? { command, args, ...options } : { url: new URL(url), ...options };
const client = new MCPClient({ servers: { ours: server } });
await client.elicitation?.onRequest('ours', answer);
const tools = await client.listTools();
const call = async (name, params = {}, context = {}) => tools[`ours_${name}`].execute(params, context);
await tell(
  {
    tools: () => Object.keys(tools).map((name) => name.slice('ours_'.length)),
    answer: async () => (await call('add', { a: 2, b: 40 })).content[0].text,
    structured: () => call('measure'),
    read: async () => (await client.resources.read('ours', 'note:///one')).contents[0].text,
    template: async () => (await client.resources.read('ours', 'page:///7')).contents[0].text,
    prompt: async () => {
      const prompt = { serverName: 'ours', name: 'greet', args: { who: 'you' } };
      return (await client.prompts.get(prompt)).messages[0].content.text;
    },
    asked: async () => (await call('ask')).content[0].text,
    roots: async () => (await call('roots')).content[0].text,
    progress: async () => {
      await client.progress.onUpdate('ours', ({ progress }) => seen.progress.push(progress));
      await call('count');
      return seen.progress;
    },
    cancelled: () => giveUp((abortSignal) => call('wait', {}, { abortSignal })),
  },
  () => client.disconnect(),
);
