// Every step with version 1 of the official SDK, over a transport.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { ANSWERS, CAPABILITIES, officialSteps } from './official-steps.mjs';
import { tell } from './steps.mjs';

/** Connects, does every step, closes, and then does what `close` says. */
export async function useWithV1(transport, close = () => {}) {
  const client = new Client({ name: 'peer', version: '1.0.0' }, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, ANSWERS['elicitation/create']);
  client.setRequestHandler(CreateMessageRequestSchema, ANSWERS['sampling/createMessage']);
  client.setRequestHandler(ListRootsRequestSchema, ANSWERS['roots/list']);
  const logged = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
  await client.connect(transport);
  const call = (name, params = {}, options = {}) =>
    client.callTool({ name, arguments: params }, CallToolResultSchema, options);
  await tell(officialSteps(client, call, logged), async () => {
    await client.close();
    close();
  });
}
