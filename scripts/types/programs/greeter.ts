import { defineServer, defineTool, memoryStore, text, type McpServer } from 'crosspoint/server';
import type { Store } from 'crosspoint/stores';
import * as z from 'zod';

export const store: Store = memoryStore();

/** A server whose arguments and results are inferred from zod. */
export const greeter = defineServer({
  info: { name: 'greeter', version: '1.0.0' },
  tools: [
    defineTool(
      'measure',
      { inputSchema: z.object({ name: z.string() }), outputSchema: z.object({ length: z.number() }) },
      ({ name }) => ({ structuredContent: { length: name.length } }),
    ),
  ],
});

export const greet = greeter.registerTool(
  'greet',
  { inputSchema: { name: z.string(), times: z.number().default(1) } },
  ({ name, times }) => text(`Hello, ${name.repeat(times)}!`),
);

export const asServer: McpServer = greeter;
