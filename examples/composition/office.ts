import { McpServer, text, type ServerSource } from 'crosspoint/server';
import { mount } from 'crosspoint/server/mounting';
import * as z from 'zod';

function createCalendar(): McpServer {
  const calendar = new McpServer({ name: 'calendar', version: '1.0.0' });
  calendar.registerTool('book', { inputSchema: { day: z.string() } }, async ({ day }, ctx) => {
    const answer = await ctx.elicit({ message: `Book ${day}?`, schema: z.object({ ok: z.boolean() }) });
    return text(answer.action === 'accept' && answer.content.ok ? `Booked: ${day}` : 'Not booked.');
  });
  return calendar;
}

/** A source that is no server: it lists a tool and answers calls of it. */
const phoneBook: ServerSource = {
  list: () => ({
    tools: [{ name: 'find', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } }],
  }),
  callTool: ({ arguments: { name } }) => ({ content: [{ type: 'text', text: `${String(name)}: 555-0100` }] }),
};

/** One server that offers the tools of all the others. */
export async function createOffice(): Promise<McpServer> {
  const office = new McpServer({ name: 'office', version: '1.0.0' });
  mount(office, 'calendar', createCalendar());
  await mount(office, 'phone', phoneBook);
  return office;
}
