import { ElicitationRequestSchema, createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { ANSWERS, officialSteps } from './official-steps.mjs';
import { args, command, tell, url } from './steps.mjs';

const client = await createMCPClient({
  transport: url === undefined ? new StdioTransport({ command, args }) : { type: 'http', url },
  capabilities: { elicitation: {} },
});
client.onElicitationRequest(ElicitationRequestSchema, ANSWERS['elicitation/create']);
const call = (name, params = {}, options = {}) => client.callTool({ name, arguments: params, options });
const { structured, read, template, prompt, complete, asked, cancelled } = officialSteps(client, call, []);
await tell(
  {
    tools: async () => Object.keys(await client.tools()),
    answer: async () => (await (await client.tools()).add.execute({ a: 2, b: 40 }, {})).content[0].text,
    structured,
    read,
    template,
    prompt,
    complete,
    asked,
    cancelled,
  },
  () => client.close(),
);
