import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { say } from '../say.mjs';

const client = new Client({ name: 'traveller', version: '1.0.0' });
const onRequest: unknown[] = [];
let elsewhere = (_data: unknown): void => {};
const heardElsewhere = new Promise<unknown>((resolve) => {
  elsewhere = resolve;
});
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
  if (params.logger === 'platform') onRequest.push(params.level);
  else elsewhere(params);
});
const updated: string[] = [];
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
  updated.push(params.uri);
});
await client.connect(new StreamableHTTPClientTransport(new URL(`${process.env['SERVER']}/`)));

const delay = async (): Promise<unknown> => (await client.callTool({ name: 'delay' })).content;
say('delay unwatched', await delay());
await client.subscribeResource({ uri: 'station://board' });
say('delay watched', await delay());
// It may come on the stream of the call or on the one that stands open, once it does.
while (updated.length === 0) {
  await delay();
  await new Promise((resolve) => setTimeout(resolve, 10));
}
say('updated', updated[0]);
await client.unsubscribeResource({ uri: 'station://board' });
say('delay unwatched again', await delay());

await client.setLoggingLevel('warning');
const talked = await client.callTool({ name: 'talk' });
say('talked', talked.content);
// The level holds for what the server says of itself; it comes on the stream that stands open.
let heard: unknown;
void heardElsewhere.then((params) => (heard = params));
while (heard === undefined) {
  await client.callTool({ name: 'talk' });
  await new Promise((resolve) => setTimeout(resolve, 10));
}
say('by the server', heard);
say('on the stream of the request', [...new Set(onRequest)].includes('error'));
await client.close();
say('done');
