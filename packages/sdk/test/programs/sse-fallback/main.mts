import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { say } from '../say.mjs';

const base = new URL(process.env['SERVER'] ?? '');
const state = async (): Promise<unknown> => (await fetch(new URL('/state', base))).json();

/** The newer transport where it is spoken, the older one elsewhere. */
async function connect(url: URL): Promise<{ client: Client; transport: Transport; used: string }> {
  try {
    const client = new Client({ name: 'walker', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(url);
    await client.connect(transport);
    return { client, transport, used: 'the newer' };
  } catch (error) {
    say('refused', { http: error instanceof StreamableHTTPError, status: (error as StreamableHTTPError).code });
    const client = new Client({ name: 'walker', version: '1.0.0' });
    const transport = new SSEClientTransport(url, { requestInit: { headers: { 'X-Walker': 'yes' } } });
    await client.connect(transport);
    return { client, transport, used: 'the older' };
  }
}

for (const path of ['/new', '/old']) {
  const { client, used } = await connect(new URL(path, base));
  const heard: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    heard.push(params.data);
  });
  const { content } = await client.callTool({ name: 'strike', arguments: { hours: 3 } });
  say(path, { used, server: client.getServerVersion()?.name, content, heard });
  await client.close();
}
const end = Date.now() + 15_000;
while (((await state()) as { old: number }).old > 0 && Date.now() < end)
  await new Promise((resolve) => setTimeout(resolve, 10));
say('left', await state());

const nowhere = new Client({ name: 'walker', version: '1.0.0' });
const failure = await nowhere.connect(new SSEClientTransport(new URL('/nothing', base))).then(
  () => undefined,
  (error: unknown) => error,
);
say('nothing there', { sse: failure instanceof SseError, status: (failure as SseError).code });
const lost = await fetch(new URL('/messages?sessionId=lost', base), {
  method: 'POST',
  body: '{}',
  headers: { 'content-type': 'application/json' },
});
say('another session', lost.status);
say('done');
