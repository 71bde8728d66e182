// The loop of this client needs a model, so a model on loopback plays one that calls the tool and then says what it gave.
import { createServer } from 'node:http';
import { McpClient } from '@huggingface/mcp-client';
import { args, command, tell, url } from './steps.mjs';

const call = { index: 0, id: 'call-1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":40}' } };
const model = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const delta = { role: 'assistant', content: '', tool_calls: [call] };
  response.write(
    `data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta, finish_reason: 'tool_calls' }] })}\n\n`,
  );
  response.end('data: [DONE]\n\n');
});
await new Promise((resolve) => model.listen(0, '127.0.0.1', resolve));

const client = new McpClient({
  endpointUrl: `http://127.0.0.1:${model.address().port}`,
  model: 'none',
  apiKey: 'none',
});
await client.addMcpServer(
  url === undefined ? { type: 'stdio', config: { command, args } } : { type: 'http', config: { url } },
);
await tell(
  {
    tools: () => client.availableTools.map((tool) => tool.function.name),
    answer: async () => {
      const messages = [{ role: 'user', content: 'Two and forty?' }];
      for await (const part of client.processSingleTurnWithTools(messages))
        if (part.role === 'tool') return part.content;
      return undefined;
    },
  },
  () => client.cleanup(),
);
