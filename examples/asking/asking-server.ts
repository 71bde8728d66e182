import { McpServer, ToolError, text, type ServerContext } from 'crosspoint/server';
import type { SamplingContent, SamplingMessage, ToolUseContent } from 'crosspoint';
import * as z from 'zod';
import type { Calendar } from './calendar.ts';

export interface AskingServerOptions {
  calendar: Calendar;
  /** Sealing keys, the same in all processes that serve the same clients. */
  keys?: readonly string[];
  /** Called for each action that is really carried out. */
  ondone?: (what: string) => void;
}

/** Three tools that ask their user something. None of them depends on how its client is asked. */
export function createAskingServer({ calendar, keys, ondone = () => {} }: AskingServerOptions): McpServer {
  const server = new McpServer({ name: 'asking', version: '1.0.0' }, { asking: keys === undefined ? {} : { keys } });
  registerBooking(server, ondone);
  registerSums(server);
  registerFreeSlots(server, calendar);
  return server;
}

/** Asks three times and acts once. */
function registerBooking(server: McpServer, ondone: (what: string) => void): void {
  server.registerTool('book', { description: 'Books a trip', inputSchema: { to: z.string() } }, async ({ to }, ctx) => {
    const day = await ctx.elicit({
      message: `When do you want to go to ${to}?`,
      schema: z.object({ day: z.iso.date() }),
    });
    if (day.action !== 'accept')
      return text(`Nothing was booked: the day was ${day.action === 'invalid' ? 'not one' : `${day.action}d`}.`);
    const price = await ctx.step('price', () => {
      ondone('price');
      return { amount: 120, currency: 'EUR' };
    });
    const seat = await ctx.elicit({
      message: `Where do you want to sit on ${day.content.day}?`,
      schema: z.object({ seat: z.enum(['window', 'aisle']) }),
    });
    if (seat.action !== 'accept') return text('Nothing was booked: no seat was chosen.');
    const sure = await ctx.elicit({
      message: `Pay ${price.amount} ${price.currency} for a ${seat.content.seat} seat?`,
      schema: z.object({ ok: z.boolean() }),
    });
    if (sure.action !== 'accept' || !sure.content.ok) return text('Nothing was booked.');
    await ctx.step('pay', ({ idempotencyKey }) => ondone(`pay ${idempotencyKey.length > 0}`));
    return text(`Booked: ${to}, ${day.content.day}, ${seat.content.seat}.`);
  });
}

const SUMS = [
  {
    name: 'add',
    description: 'Adds two numbers',
    inputSchema: { type: 'object' as const, properties: { a: { type: 'number' }, b: { type: 'number' } } },
  },
  {
    name: 'multiply',
    description: 'Multiplies two numbers',
    inputSchema: { type: 'object' as const, properties: { a: { type: 'number' }, b: { type: 'number' } } },
  },
];
const MAX_TURNS = 5;

/** Lets the client's model work, and runs the tools that the model asks for. */
function registerSums(server: McpServer): void {
  server.registerTool(
    'work_out',
    { description: 'Works out a question with the help of a model', inputSchema: { question: z.string() } },
    async ({ question }, ctx) => {
      const messages: SamplingMessage[] = [{ role: 'user', content: { type: 'text', text: question } }];
      for (let turn = 1; turn <= MAX_TURNS; turn++) {
        const reply = await ctx.sample({
          messages: [...messages],
          maxTokens: 500,
          tools: SUMS,
          toolChoice: { mode: turn === MAX_TURNS ? 'none' : 'auto' },
        });
        const blocks: SamplingContent[] = [reply.content].flat();
        const uses = blocks.filter((block) => block.type === 'tool_use');
        if (uses.length === 0) return text(blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''));
        messages.push({ role: 'assistant', content: blocks }, { role: 'user', content: uses.map(resultOf) });
      }
      throw new ToolError('The model did not come to an end.');
    },
  );
}

function resultOf({ id, name, input }: ToolUseContent): SamplingContent {
  const [a, b] = [Number(input['a']), Number(input['b'])];
  return {
    type: 'tool_result',
    toolUseId: id,
    content: [{ type: 'text', text: String(name === 'add' ? a + b : a * b) }],
  };
}

/** Needs a secret that must not pass through the client: the user signs in on a page of the server's own. */
function registerFreeSlots(server: McpServer, calendar: Calendar): void {
  server.registerTool('free_slots', { description: 'Finds free time in the calendar of the user' }, async (ctx) => {
    if (!(await isConnected(ctx, calendar))) return text('Without your calendar there is nothing to look at.');
    return text(`Free: ${calendar.freeSlots(ctx).join(', ')}.`);
  });
}

async function isConnected(ctx: ServerContext, calendar: Calendar): Promise<boolean> {
  // In a step, because the value may change while the user is asked: the handler must take the same path when it runs again.
  if (await ctx.step('connected before', () => calendar.isConnected(ctx))) return true;
  const page = await ctx.step('page', () => calendar.openPage(ctx));
  calendar.oncomplete(page.id, ctx.pageCompletion(page.id));
  const answer = await ctx.elicit({
    mode: 'url',
    message: 'Please connect your calendar.',
    url: page.url,
    elicitationId: page.id,
  });
  // Consent is not completion: the user may still be on the page.
  return answer.action === 'accept' && (await calendar.whenConnected(ctx));
}
