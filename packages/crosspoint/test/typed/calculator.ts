import { z } from 'zod';
import { defineServer, definePrompt, defineResource, defineTool, text, ToolError } from '../../src/server/index.ts';

const add = defineTool(
  'add',
  {
    inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
    outputSchema: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ structuredContent: { sum: a + b } }),
);

const halves = defineTool('halves', { inputSchema: { n: z.number() }, outputSchema: z.array(z.number()) }, ({ n }) => ({
  structuredContent: [n / 2, n / 2],
}));

const hello = defineTool('hello', { description: 'Says hello' }, (ctx) => text(`Hello, ${ctx.client?.name}`));

const divide = defineTool(
  'divide',
  {
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ quotient: z.number() }),
  },
  ({ a, b }) => {
    if (b === 0) throw new ToolError('nothing can be divided by zero');
    return { structuredContent: { quotient: a / b } };
  },
);

const shout = defineTool('shout', { inputSchema: z.object({ what: z.string().optional() }) }, ({ what = 'hey' }) =>
  text(what.toUpperCase()),
);

const greet = definePrompt(
  'greet',
  { argsSchema: { who: z.string(), mood: z.enum(['glad', 'sad']).optional() } },
  (args) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${args.who}, ${args.mood ?? 'calm'}` } }],
  }),
);

const plain = definePrompt('plain', {}, () => ({
  messages: [{ role: 'user', content: { type: 'text', text: 'Go on' } }],
}));

const manual = defineResource('manual', 'calc://manual', { mimeType: 'text/plain' }, (uri) => ({
  contents: [{ uri: uri.href, text: 'How to add' }],
}));

const constant = defineResource(
  'constant',
  { uriTemplate: 'calc://constants/{name}{?digits}' },
  {},
  (uri, variables) => ({
    contents: [{ uri: uri.href, text: `${variables.name} ${String(variables.digits ?? 2)}` }],
  }),
);

export const calculator = defineServer({
  info: { name: 'calculator', version: '1.0.0' },
  tools: [add, halves, hello, divide, shout],
  prompts: [greet, plain],
  resources: [manual, constant],
  options: { instructions: 'Counts.' },
});
