// A server for the tests. Its arguments say how it behaves:
//   --name <text>      the name that it gives itself
//   --tools <n>        so many tools, each with a description of --words words
//   --silent           reads and never answers
//   --crash <ms>       exits with code 3 after so many milliseconds
//   --exit             exits at once
//   --revisions <list> the revisions or the family that it speaks
import { parseArgs } from 'node:util';
import { McpServer } from 'crosspoint/server';
import { serveStdio } from 'crosspoint/server/stdio';

const { values } = parseArgs({
  options: {
    name: { type: 'string', default: 'test' },
    tools: { type: 'string', default: '2' },
    words: { type: 'string', default: '5' },
    crash: { type: 'string' },
    silent: { type: 'boolean', default: false },
    exit: { type: 'boolean', default: false },
    revisions: { type: 'string' },
  },
});

if (values.exit) {
  console.error('cannot open the database');
  process.exit(3);
}
if (values.silent) {
  process.stdin.resume();
  process.stdin.on('end', () => process.exit(0));
} else {
  const revisions =
    values.revisions?.includes(',') || values.revisions?.includes('20')
      ? values.revisions.split(',')
      : values.revisions;
  const server = new McpServer(
    { name: values.name, version: '1.0.0' },
    { instructions: `This is ${values.name}.`, ...(revisions && { revisions }) },
  );
  const description = 'word '.repeat(Number(values.words)).trim();
  for (let index = 0; index < Number(values.tools); index += 1)
    server.registerTool(`tool_${index}`, { description }, () => ({
      content: [{ type: 'text', text: `${values.name} ${index}` }],
    }));
  server.registerTool('die', { description: 'Ends the process.' }, () => process.exit(4));
  server.registerTool('grow', { description: 'Adds a tool.' }, () => {
    server.registerTool('grown', { description }, () => ({ content: [] }));
    return { content: [] };
  });
  server.registerPrompt('greet', { description: 'Greets.' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello.' } }],
  }));
  server.registerResource('note', 'note://one', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'a note' }] }));
  console.error(`${values.name} started`);
  await serveStdio(server);
  if (values.crash !== undefined) setTimeout(() => process.exit(3), Number(values.crash));
}
