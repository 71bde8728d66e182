// A server over stdio whose names, schemas and texts are odd: they would end comments, quotes and lines, refer to themselves, or act in a shell.
import { Server, serveStdio } from 'crosspoint/server/stdio';

const server = new Server(
  { name: 'odd */ "server"', version: '1.0.0' },
  { capabilities: { tools: {}, prompts: {}, resources: {} } },
);
const tree = {
  type: 'object',
  properties: { value: { type: 'integer' }, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
  required: ['value'],
};
const tools = [
  {
    name: 'paint',
    description: 'Paints. */ process.exit(1); /*\nSecond line.\u202E',
    inputSchema: {
      type: 'object',
      properties: {
        colour: { type: 'string', enum: ['red', 'green', '$(touch owned)', 'dark blue'], description: 'ends */ here' },
        'line width': { type: 'number', minimum: 1 },
        shiny: { type: 'boolean' },
        points: {
          type: 'array',
          items: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
        },
        mode: { anyOf: [{ const: 1 }, { type: 'null' }, { type: 'object', additionalProperties: { type: 'string' } }] },
        never: { not: { type: 'string' } },
        "'; drop": { type: 'string' },
      },
      required: ['colour'],
    },
    outputSchema: {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    },
  },
  {
    name: 'grow',
    inputSchema: {
      type: 'object',
      properties: {
        tree: { $ref: '#/$defs/Tree' },
        self: { $ref: '#/$defs/Loop' },
        pair: {
          allOf: [
            { $ref: '#/$defs/Tree' },
            { type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] },
          ],
        },
        far: { $ref: 'https://example.com/schema.json' },
        whole: { $ref: '#' },
      },
      required: ['tree'],
      $defs: { Tree: tree, Loop: { anyOf: [{ $ref: '#/$defs/Loop' }, { type: 'string' }] } },
    },
  },
  { name: 'rest', inputSchema: { type: 'object' } },
  { name: '`x`; echo', inputSchema: { type: 'object' } },
  { name: 'constructor', inputSchema: { type: 'object', properties: { __proto: { type: 'string' } } } },
];
server.setRequestHandler('tools/list', () => ({ tools }));
server.setRequestHandler('tools/call', ({ params }) => ({
  content: [{ type: 'text', text: JSON.stringify(params.arguments ?? {}) }],
  ...(params.name === 'paint' && { structuredContent: { id: 'p1' } }),
}));
server.setRequestHandler('prompts/list', () => ({
  prompts: [
    {
      name: 'explain',
      arguments: [
        { name: 'what', required: true },
        { name: 'how', description: 'briefly */' },
      ],
    },
    { name: 'hello' },
  ],
}));
server.setRequestHandler('prompts/get', () => ({ messages: [] }));
server.setRequestHandler('resources/list', () => ({
  resources: [
    { uri: 'odd://one', name: 'one' },
    { uri: 'odd://$(two)', name: 'two' },
  ],
}));
server.setRequestHandler('resources/templates/list', () => ({
  resourceTemplates: [{ uriTemplate: 'odd://`items`/{id}{?q}', name: 'items' }],
}));
await serveStdio(server);
