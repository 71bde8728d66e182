import * as z from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { DEFAULT_REQUEST_TIMEOUT_MSEC } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { ErrorCode, McpError, type Progress } from '@modelcontextprotocol/sdk/types.js';
import { say } from '../say.mjs';

say('patience', DEFAULT_REQUEST_TIMEOUT_MSEC);
const server = new McpServer({ name: 'bakery', version: '1.0.0' });
server.registerTool(
  'bake',
  { inputSchema: { loaves: z.number() } },
  async ({ loaves }, { _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    for (let progress = 1; progress <= loaves; progress += 1)
      if (progressToken !== undefined)
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: loaves, message: `loaf ${progress}` },
        });
    return { content: [{ type: 'text', text: `${loaves} loaves` }] };
  },
);

const aborted: unknown[] = [];
let noticed = (): void => {};
server.registerTool('wait', {}, async ({ signal }) => {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  aborted.push(signal.aborted);
  noticed();
  return { content: [] };
});
server.registerTool('steps', {}, async ({ _meta, sendNotification, signal }) => {
  for (let progress = 1; !signal.aborted; progress += 1) {
    await sendNotification({
      method: 'notifications/progress',
      params: { progressToken: _meta?.progressToken ?? 0, progress },
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { content: [] };
});

const [near, far] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'baker', version: '1.0.0' });
await Promise.all([server.connect(near), client.connect(far)]);

const seen: Progress[] = [];
const baked = await client.callTool({ name: 'bake', arguments: { loaves: 3 } }, undefined, {
  onprogress: (progress) => seen.push(progress),
});
say('baked', { content: baked.content, seen });

const stop = new AbortController();
const stopped = client.callTool({ name: 'wait' }, undefined, { signal: stop.signal }).catch((error: unknown) => error);
const first = new Promise<void>((resolve) => (noticed = resolve));
await client.ping();
stop.abort('no longer hungry');
say('stopped', { rejected: (await stopped) !== undefined });
await first;
say('told the server', aborted);

const late = await client.callTool({ name: 'wait' }, undefined, { timeout: 50 }).catch((error: unknown) => error);
say('too late', late instanceof McpError && { code: late.code, timedOut: late.code === ErrorCode.RequestTimeout });

const total = await client
  .callTool({ name: 'steps' }, undefined, {
    onprogress: () => {},
    timeout: 1000,
    maxTotalTimeout: 150,
    resetTimeoutOnProgress: true,
  })
  .catch((error: unknown) => error);
say('too late in all', total instanceof McpError && { timedOut: total.code === ErrorCode.RequestTimeout });
say(
  'already stopped',
  await client
    .callTool({ name: 'bake', arguments: { loaves: 1 } }, undefined, { signal: AbortSignal.abort('no') })
    .then(
      () => 'answered',
      () => 'refused',
    ),
);
await client.close();
say('done');
