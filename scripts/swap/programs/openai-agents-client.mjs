import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents-core';
import { args, command, giveUp, tell, url } from './steps.mjs';

const server =
  url === undefined
    ? new MCPServerStdio({ name: 'ours', command, args })
    : new MCPServerStreamableHttp({ name: 'ours', url });
await server.connect();
const steps = {
  tools: async () => (await server.listTools()).map(({ name }) => name),
  answer: async () => (await server.callTool('add', { a: 2, b: 40 }))[0].text,
};
// Later versions only.
if (server.callToolResult !== undefined)
  steps.structured = async () => (await server.callToolResult('measure', {})).structuredContent;
if (server.readResource !== undefined) {
  steps.read = async () => (await server.readResource('note:///one')).contents[0].text;
  steps.template = async () => (await server.readResource('page:///7')).contents[0].text;
}
steps.cancelled = () => giveUp((signal) => server.callTool('wait', {}, undefined, { signal }));
await tell(steps, () => server.close());
