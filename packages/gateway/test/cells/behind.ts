import { McpServer, text, type ServerContext } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';
import type { FamilyName } from '../carriers.ts';

const form = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } }) as const;

/** The server behind the bridge in these tests: one of each thing that a protocol message can do. */
export interface Behind {
  readonly server: McpServer;
  /** Notes of its handlers, in order. */
  readonly seen: unknown[];
}

export function behind(revisions: FamilyName): Behind {
  const seen: unknown[] = [];
  const server = new McpServer(
    { name: 'behind', version: '3.0.0', title: 'Behind' },
    { revisions, instructions: 'Ask first.', capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  server.use(tasks({ pollIntervalMs: 20 }));
  registerTools(server, seen);
  server.registerPrompt('hello', { description: 'Greets' }, async (ctx) => {
    const { action } = await ctx.elicit({ message: 'Greet?', requestedSchema: form('who') });
    return { messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${action}` } }] };
  });
  server.registerResource('note', 'note://1', {}, () => ({ contents: [{ uri: 'note://1', text: 'one' }] }));
  return { server, seen };
}

function registerTools(server: McpServer, seen: unknown[]): void {
  server.registerTool('interview', {}, async (ctx) => {
    const first = await ctx.elicit({ message: 'Name?', requestedSchema: form('name') });
    const second = await ctx.elicit({ message: 'Town?', requestedSchema: form('town') });
    const sampled = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet' } }],
      maxTokens: 9,
    });
    return text(JSON.stringify([first.content, second.action, sampled.content]));
  });
  server.registerTool('slow', {}, async (ctx) => {
    seen.push('slow began');
    ctx.signal.addEventListener('abort', () => seen.push('slow cancelled'));
    for (let step = 1; step <= 3; step += 1) ctx.progress(step, 3, `step ${step}`);
    ctx.log('warning', 'slow is slow', 'test');
    ctx.log('debug', 'details');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 30_000);
      ctx.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    return text('slow done');
  });
  server.registerTool('report', {}, (ctx) => {
    for (let step = 1; step <= 3; step += 1) ctx.progress(step, 3, `step ${step}`);
    ctx.log('warning', 'one warning', 'test');
    ctx.log('debug', 'one detail');
    return text('reported');
  });
  server.registerTool('who', {}, (ctx) => text(JSON.stringify(factsOf(ctx))));
  server.registerTool('roots', {}, async (ctx) => text(JSON.stringify(await ctx.listRoots())));
  server.registerTool('job', { task: { support: 'optional' } }, async (ctx) => {
    await ctx.task?.setStatus('half way');
    const { content } = await ctx.elicit({ message: 'Which job?', requestedSchema: form('job') });
    return text(`job ${String(content?.['job'])}`);
  });
  server.registerTool('grow', {}, () => {
    server.registerTool(`grown${seen.push('grown')}`, {}, () => text('new'));
    void server.server.sendResourceUpdated({ uri: 'note://1' });
    return text('grown');
  });
}

function factsOf({ client, capabilities, facts, _meta, sessionId }: ServerContext): object {
  return {
    client,
    capabilities,
    logLevel: facts.logLevel,
    meta: Object.keys(_meta ?? {}),
    hasSession: sessionId !== undefined,
  };
}
