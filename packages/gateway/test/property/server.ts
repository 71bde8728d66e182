import { McpServer, text, ToolError, type ServerContext } from 'crosspoint/server';
import { fromJsonSchema } from 'crosspoint/schema';
import { tasks } from 'crosspoint/server/tasks';
import type { CallProgram, Part } from './program.ts';

export const NOTE = 'memo://note';
export const HANGING = 'hanging';

const form = (message: string): { message: string; requestedSchema: never } => ({
  message,
  requestedSchema: { type: 'object', properties: { answer: { type: 'string' } } } as never,
});

interface Stage {
  readonly server: McpServer;
  readonly ctx: ServerContext;
  readonly name: string;
  readonly answers: string[];
  readonly total: number;
}

/** A server whose one tool does what its arguments say. */
export function createPlayer(revisions: 'all' | 'handshake' | 'per-request' = 'all'): {
  server: McpServer;
  stopped: () => readonly string[];
  /** How often a tool ran, by call. */
  runs: () => Readonly<Record<string, number>>;
} {
  const stopped: string[] = [];
  const runs: Record<string, number> = {};
  const server = new McpServer(
    { name: 'player', version: '1.0.0' },
    {
      revisions,
      capabilities: {
        logging: {},
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
      },
    },
  );
  server.use(tasks({ pollIntervalMs: 20 }));
  server.registerResource('note', NOTE, {}, () => ({ contents: [{ uri: NOTE, text: 'a note' }] }));
  const inputSchema = fromJsonSchema<{ name: string; program: CallProgram }>({ type: 'object' });
  const run = async ({ name, program }: { name: string; program: CallProgram }, ctx: ServerContext) => {
    const { parts, end } = program;
    const answers: string[] = [];
    // A handler that runs again for a later round is the same run of the tool.
    await ctx.step('run', () => (runs[name] = (runs[name] ?? 0) + 1));
    for (const [index, part] of parts.entries())
      await play(part, index, { server, ctx, name, answers, total: parts.length + 1 });
    if (end === 'fail') throw new ToolError(`${name} failed`);
    if (end === 'hang') await hang(ctx, parts.length + 1, () => stopped.push(name));
    return text(`${name}: ${answers.join(', ')}`);
  };
  server.registerTool('play', { inputSchema }, run);
  // A server without sessions makes a task of each call that may be one.
  server.registerTool('play-long', { inputSchema, task: { support: 'optional' } }, run);
  return { server, stopped: () => stopped.toSorted(), runs: () => ({ ...runs }) };
}

async function hang(ctx: ServerContext, value: number, onstop: () => void): Promise<void> {
  await new Promise<void>((resolve) => {
    ctx.signal.addEventListener('abort', () => {
      onstop();
      resolve();
    });
    ctx.progress(value, value, HANGING);
  });
}

async function play(part: Part, index: number, stage: Stage): Promise<void> {
  const { server, ctx, name, answers, total } = stage;
  const words = `${name}.${index}`;
  if (part.kind === 'ask' || part.kind === 'decline') answers.push(await elicit(ctx, `${part.kind} ${words}`));
  if (part.kind === 'two at once')
    answers.push(...(await Promise.all([elicit(ctx, `left ${words}`), elicit(ctx, `right ${words}`)])));
  if (part.kind === 'sample') {
    const { content } = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: `sample ${words}` } }],
      maxTokens: 10,
    });
    answers.push(JSON.stringify(content));
  }
  if (part.kind === 'roots') answers.push((await ctx.listRoots()).map(({ uri }) => uri).join(' '));
  if (part.kind === 'progress') ctx.progress(index + 1, total, words);
  if (part.kind === 'log') ctx.log('info', words);
  if (part.kind === 'touch') await ctx.step(words, () => server.sendResourceUpdated({ uri: NOTE }).then(() => null));
  if (part.kind === 'grow') await ctx.step(words, () => grow(server, words));
  if (part.kind === 'pause') await new Promise((resolve) => setTimeout(resolve, part.ms));
}

function grow(server: McpServer, words: string): null {
  server.registerTool(`grown-${words}`, {}, () => text('grown'));
  return null;
}

async function elicit(ctx: ServerContext, message: string): Promise<string> {
  const { action, content } = await ctx.elicit(form(message));
  return `${action} ${JSON.stringify(content ?? null)}`;
}
