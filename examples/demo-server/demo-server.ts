import { McpServer, ResourceTemplate, ToolError, completable, text, type ServerOptions } from 'crosspoint/server';
import * as z from 'zod';

const CITIES = ['Amsterdam', 'Athens', 'Bergen', 'Berlin', 'Bern', 'Lisbon', 'London', 'Lyon'];

/** A small server that shows every feature of the core. It does not depend on transports, and speaks every revision unless it is told otherwise. */
export function createDemoServer({ revisions = 'all' }: Pick<ServerOptions, 'revisions'> = {}): McpServer {
  const server = new McpServer(
    { name: 'crosspoint-demo', version: '1.0.0', title: 'Crosspoint demonstration' },
    {
      capabilities: { logging: {}, resources: { subscribe: true } },
      instructions: 'Ask for sums, greetings and notes.',
      revisions,
    },
  );
  registerTools(server);
  registerResources(server);
  registerPrompts(server);
  return server;
}

function registerTools(server: McpServer): void {
  server.registerTool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers',
      inputSchema: { a: z.number(), b: z.number() },
      outputSchema: { sum: z.number() },
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({ structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    'count',
    {
      description: 'Counts to a number and reports progress on the way',
      inputSchema: { to: z.number().int().min(1).max(100), pauseMs: z.number().min(0).max(1000).default(5) },
    },
    async ({ to, pauseMs }, { progress, log, signal }) => {
      for (let step = 1; step <= to; step++) {
        if (signal.aborted) throw new ToolError('Counting was cancelled.');
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        progress(step, to, `${step} of ${to}`);
      }
      log('info', { counted: to }, 'count');
      return text(`Counted to ${to}.`);
    },
  );
  server.registerTool('welcome', { description: 'Asks for a name and welcomes its owner' }, async ({ elicit }) => {
    const answer = await elicit({ message: 'What is your name?', schema: z.object({ name: z.string() }) });
    return text(answer.action === 'accept' ? `Welcome, ${answer.content.name}!` : 'Welcome, stranger!');
  });
  server.registerTool('fail', { description: 'Fails, so that you can see what a failure looks like' }, () => {
    throw new ToolError('This tool always fails. Nothing is broken.');
  });
}

function registerResources(server: McpServer): void {
  const notes = new Map([['welcome', 'Everything here is served to every protocol revision by the same handlers.']]);
  server.registerResource('welcome', 'note:///welcome', { title: 'Welcome', mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: notes.get('welcome') ?? '' }],
  }));
  server.registerResource(
    'greeting',
    new ResourceTemplate('greeting://{city}', {
      list: undefined,
      complete: { city: (value) => CITIES.filter((city) => city.toLowerCase().startsWith(value.toLowerCase())) },
    }),
    { title: 'Greeting', description: 'A greeting from a city' },
    (uri, { city }) => ({
      contents: [{ uri: uri.href, mimeType: 'text/plain', text: `Greetings from ${String(city)}!` }],
    }),
  );
  server.registerTool(
    'save_note',
    { description: 'Replaces the welcome note', inputSchema: { text: z.string().max(10_000) } },
    async ({ text: note }) => {
      notes.set('welcome', note);
      await server.sendResourceUpdated({ uri: 'note:///welcome' });
      return text('Saved.');
    },
  );
}

function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    'postcard',
    {
      title: 'Postcard',
      description: 'Asks for a postcard from a city',
      argsSchema: {
        city: completable(z.string(), (value: string) =>
          CITIES.filter((city) => city.toLowerCase().startsWith(value.toLowerCase())),
        ),
      },
    },
    ({ city }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Write a postcard from ${city} in three sentences.` } },
      ],
    }),
  );
}
