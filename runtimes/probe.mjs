// Run by Node, Bun and Deno: probe.mjs URL prints one line of JSON with its results.
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { openSqliteStore } from 'crosspoint/stores/sqlite';
import { probe } from './anywhere.mjs';
import { FAMILIES, attempt, visit } from './checks.mjs';
import { killWriters } from './sqlite-kills.mjs';

const [url] = process.argv.slice(2);
const results = await probe(url);

results.push(
  await attempt('loads: by require()', async () => {
    const require = createRequire(import.meta.url);
    for (const entry of ['crosspoint/server', 'crosspoint/client']) require(entry);
  }),
);

results.push(
  await attempt('stores: SQLite of the runtime', async () => {
    const store = await openSqliteStore(':memory:').catch((error) => {
      // Node 20 has no SQLite, and the error says what to do.
      if (process.versions.node.startsWith('20.') && error.message.includes('On Node 20 install')) return undefined;
      throw error;
    });
    if (store === undefined) return;
    const version = await store.put('key', { n: 1 });
    if ((await store.put('key', 2, { ifVersion: 'another' })) !== undefined)
      throw new Error('A wrong version was taken.');
    if ((await store.put('key', 2, { ifVersion: version })) === undefined)
      throw new Error('The version was not taken.');
    const position = await store.append('log', 'one');
    await store.append('log', 'two', { maxEntries: 5 });
    const read = await store.read('log', { after: position });
    if (read.length !== 1 || read[0].value !== 'two') throw new Error(`The log gave ${JSON.stringify(read)}.`);
    if ((await store.add('count', 2)) !== 2 || (await store.count('')) !== 2) throw new Error('It does not count.');
    await store.close();
  }),
);

results.push(
  await attempt('stores: a SQLite file whose writers are killed', async () => {
    const { acknowledged, ...found } = await killWriters(8);
    const wanted = { rounds: 8, failures: [], lost: [], files: ['store.db'] };
    if (!isDeepStrictEqual(found, wanted)) throw new Error(`${acknowledged} writes, then ${JSON.stringify(found)}`);
  }),
);

// The runtime as both the parent and the child of a stdio server.
const args = [...(globalThis.Deno ? ['run', '--allow-all'] : []), fileURLToPath(new URL('stdio.mjs', import.meta.url))];
for (const family of FAMILIES) {
  const transport = new StdioClientTransport({ command: process.execPath, args });
  results.push(...(await visit('stdio', family, (client) => client.connect(transport))));
}

console.log(JSON.stringify(results));
