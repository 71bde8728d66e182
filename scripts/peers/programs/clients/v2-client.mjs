// v2-client.mjs [--auto] …: version 2 of the official SDK, which asks for the newest revision only when it is told to.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ANSWERS, CAPABILITIES, officialSteps } from './official-steps.mjs';
import { args, command, tell, url } from './steps.mjs';

const client = new Client(
  { name: 'peer', version: '2.0.0' },
  { capabilities: CAPABILITIES, versionNegotiation: { mode: 'auto' } },
);
for (const [method, answer] of Object.entries(ANSWERS)) client.setRequestHandler(method, answer);
const logged = [];
client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params.data));
await client.connect(
  url === undefined ? new StdioClientTransport({ command, args }) : new StreamableHTTPClientTransport(new URL(url)),
);
const call = (name, params = {}, options = {}) => client.callTool({ name, arguments: params }, options);
await tell(officialSteps(client, call, logged), () => client.close());
