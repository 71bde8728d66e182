import { fromJsonSchema } from 'crosspoint/schema';
import { McpServer, text } from 'crosspoint/server';

/** The server of the examples beside this file. It uses only features that every runtime has. */
export function createServer() {
  const server = new McpServer({ name: 'crosspoint-runtimes', version: '1.0.0' });
  let cancelled = 0;

  const numbers = fromJsonSchema({
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  });
  server.registerTool('add', { description: 'Adds two numbers', inputSchema: numbers }, ({ a, b }) =>
    text(String(a + b)),
  );

  server.registerTool('count', { description: 'Counts to three and reports progress' }, async ({ progress }) => {
    for (let step = 1; step <= 3; step++) {
      progress(step, 3);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return text('Counted.');
  });

  server.registerTool('welcome', { description: 'Asks for a name and welcomes its owner' }, async ({ elicit }) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const answer = await elicit({ message: 'What is your name?', requestedSchema });
    return text(answer.action === 'accept' ? `Welcome, ${String(answer.content.name)}!` : 'Welcome, stranger!');
  });

  server.registerTool('wait', { description: 'Waits until it is cancelled' }, async ({ progress, signal }) => {
    signal.addEventListener('abort', () => {
      cancelled += 1;
    });
    for (let step = 1; !signal.aborted; step++) {
      progress(step);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return text('Cancelled.');
  });

  server.registerTool('cancelled', { description: 'Tells how many waits were cancelled' }, () =>
    text(String(cancelled)),
  );

  server.registerTool('tell', { description: 'Tells everybody that the tools have changed' }, () => {
    server.sendToolListChanged();
    return text('Told.');
  });
  return server;
}
