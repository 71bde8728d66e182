// Run by Node, Bun and Deno: probe.mjs URL prints one line of JSON with what was found out.
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { probe } from './anywhere.mjs';
import { FAMILIES, attempt, visit } from './checks.mjs';

const [url] = process.argv.slice(2);
const results = await probe(url);

results.push(
  await attempt('loads: by require()', async () => {
    const require = createRequire(import.meta.url);
    for (const entry of ['crosspoint/server', 'crosspoint/client']) require(entry);
  }),
);

// The runtime as both the parent and the child of a stdio server.
const args = [...(globalThis.Deno ? ['run', '--allow-all'] : []), fileURLToPath(new URL('stdio.mjs', import.meta.url))];
for (const family of FAMILIES) {
  const transport = new StdioClientTransport({ command: process.execPath, args });
  results.push(...(await visit('stdio', family, (client) => client.connect(transport))));
}

console.log(JSON.stringify(results));
