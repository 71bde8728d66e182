/** Starts the demonstration server over stdio once for each protocol revision, and shows what a client sees of it. */
import { fileURLToPath } from 'node:url';
import { protocolRevisions } from 'crosspoint';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { visit } from './visit.ts';
import { createVisitor, headline } from './visitor.ts';

const server = fileURLToPath(new URL('../demo-server/stdio.js', import.meta.url));

console.log('Crosspoint: one server, one client, every revision of the Model Context Protocol, over stdio.');
for (const { id } of protocolRevisions) {
  const client = createVisitor(id);
  const started = performance.now();
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server] }));
  console.log(headline(client, started));
  await visit(client);
  await client.close();
}
