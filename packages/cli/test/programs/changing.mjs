// A server whose one tool says of itself what stands in a file: node changing.mjs FILE. It appends a line to FILE.calls for each call.
import { appendFileSync, readFileSync } from 'node:fs';
import { McpServer, text } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';

const [file] = process.argv.slice(2);
const server = new McpServer({ name: 'changing', version: '1.0.0' });
server.registerTool('send', { description: readFileSync(file, 'utf8').trim() }, () => {
  appendFileSync(`${file}.calls`, 'called\n');
  return text('Sent.');
});
await serveStdio(server);
