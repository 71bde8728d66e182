// A process with a pool and one child that ignores everything but SIGKILL, and a child of that. Prints their ids and waits.
import { fileURLToPath } from 'node:url';
import { children } from '@crosspoint/gateway/stdio';
import { Client } from 'crosspoint/client';

const child = fileURLToPath(new URL('child.mjs', import.meta.url));
const pool = children(
  { command: process.execPath, args: [child, 'stubborn'] },
  { guarded: process.argv[2] === 'guarded' },
);
const client = new Client({ name: 'pool', version: '1.0.0' });
await pool.connect(client, { principal: undefined, client: undefined, capabilities: {} }, new AbortController().signal);
const { content } = await client.callTool({ name: 'grandchild' });
console.log(JSON.stringify([...pool.pids, Number(content[0].text)]));
if (process.argv[3] === 'close') await pool.close();
