import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { Implementation } from '../../src/protocol/implementation.ts';
import type { Ask } from '../../src/protocol/outcome.ts';

export const icons = [
  { src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' as const },
];
export const meta: JsonObject = { 'com.example/note': 'kept' };
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' };

export const server: Implementation = {
  name: 'sample',
  version: '1.0',
  title: 'Sample',
  description: 'A sample',
  websiteUrl: 'https://example.com',
  icons,
};

export const blocks: JsonObject[] = [
  { type: 'text', text: 'hello', annotations, _meta: meta },
  { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations, _meta: meta },
  { type: 'audio', data: 'AAAA', mimeType: 'audio/wav', annotations, _meta: meta },
  {
    type: 'resource',
    resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'a', _meta: meta },
    annotations,
    _meta: meta,
  },
  {
    type: 'resource_link',
    uri: 'file:///b',
    name: 'b',
    title: 'B',
    description: 'link',
    mimeType: 'text/plain',
    size: 3,
    icons,
    annotations,
    _meta: meta,
  },
];

export const tool: JsonObject = {
  name: 'add',
  title: 'Add',
  description: 'Adds',
  icons,
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, any: true }, required: ['a'] },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
  annotations: {
    title: 'Adding',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  execution: { taskSupport: 'optional' },
  _meta: meta,
};
const resource = {
  uri: 'file:///a',
  name: 'a',
  title: 'A',
  description: 'a file',
  mimeType: 'text/plain',
  size: 1,
  icons,
  annotations,
  _meta: meta,
};
const template = {
  uriTemplate: 'file:///{p}',
  name: 't',
  title: 'T',
  description: 'd',
  mimeType: 'text/plain',
  icons,
  annotations,
  _meta: meta,
};
const prompt = {
  name: 'p',
  title: 'P',
  description: 'd',
  icons,
  arguments: [{ name: 'x', title: 'X', description: 'd', required: true }],
  _meta: meta,
};
const hints = { ttlMs: 5000, cacheScope: 'public' };

export const serverCapabilities: JsonObject = {
  logging: {},
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  tools: { listChanged: true },
  completions: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  experimental: { 'com.example/a': { on: true } },
  extensions: { 'io.modelcontextprotocol/tasks': {} },
};

export const clientCapabilities: JsonObject = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
  experimental: { 'com.example/a': {} },
  extensions: { 'io.modelcontextprotocol/tasks': {} },
};

export interface Sample {
  readonly method: string;
  readonly definition: string;
  readonly result: JsonObject;
}

/** Results in the neutral model that use every word it has. */
export const results: readonly Sample[] = [
  {
    method: 'tools/list',
    definition: 'ListToolsResult',
    result: { tools: [tool], nextCursor: 'n', _meta: meta, ...hints },
  },
  {
    method: 'resources/list',
    definition: 'ListResourcesResult',
    result: { resources: [resource], nextCursor: 'n', _meta: meta, ...hints },
  },
  {
    method: 'resources/templates/list',
    definition: 'ListResourceTemplatesResult',
    result: { resourceTemplates: [template], ...hints },
  },
  { method: 'prompts/list', definition: 'ListPromptsResult', result: { prompts: [prompt], ...hints } },
  {
    method: 'tools/call',
    definition: 'CallToolResult',
    result: { content: blocks, structuredContent: { sum: 3 }, isError: false, _meta: meta },
  },
  { method: 'tools/call', definition: 'CallToolResult', result: { content: [], structuredContent: [3, 5] } },
  {
    method: 'prompts/get',
    definition: 'GetPromptResult',
    result: { description: 'd', messages: blocks.map((content) => ({ role: 'user', content })), _meta: meta },
  },
  {
    method: 'resources/read',
    definition: 'ReadResourceResult',
    result: {
      contents: [
        { uri: 'file:///a', text: 'a', mimeType: 'text/plain', _meta: meta },
        { uri: 'file:///b', blob: 'AAAA', _meta: meta },
      ],
      ...hints,
    },
  },
  {
    method: 'completion/complete',
    definition: 'CompleteResult',
    result: { completion: { values: ['a'], total: 1, hasMore: false } },
  },
];

/** The opening of the handshake, as an edge could hand it over: unreduced. */
export const initialised: JsonObject = {
  protocolVersion: 'x',
  capabilities: serverCapabilities,
  serverInfo: server,
  instructions: 'Be kind.',
};

/** The client's answers to questions. */
export const answers: readonly Sample[] = [
  {
    method: 'roots/list',
    definition: 'ListRootsResult',
    result: { roots: [{ uri: 'file:///a', name: 'a', _meta: meta }] },
  },
  {
    method: 'sampling/createMessage',
    definition: 'CreateMessageResult',
    result: { role: 'assistant', model: 'm', stopReason: 'endTurn', content: [blocks[0]] },
  },
  { method: 'elicitation/create', definition: 'ElicitResult', result: { action: 'accept', content: { a: 'x' } } },
];

export const form: Ask = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Who?',
    requestedSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Name', minLength: 1, default: 'Ann' },
        age: { type: 'integer', minimum: 0, default: 3 },
        sure: { type: 'boolean', default: true },
        size: { type: 'string', enum: ['s', 'm'], default: 's' },
        colour: {
          type: 'string',
          title: 'Colour',
          oneOf: [
            { const: 'r', title: 'Red' },
            { const: 'g', title: 'Green' },
          ],
          default: 'r',
        },
      },
      required: ['name'],
    },
  },
};
export const choice: Ask = {
  method: 'elicitation/create',
  params: {
    message: 'Which?',
    requestedSchema: {
      type: 'object',
      properties: { some: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } },
    },
  },
};
export const url: Ask = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Pay', url: 'https://example.com/pay', elicitationId: 'e1' },
};
export const roots: Ask = { method: 'roots/list', params: {} };

export function sampling(content: unknown, more: JsonObject = {}): Ask {
  return {
    method: 'sampling/createMessage',
    params: { maxTokens: 10, messages: [{ role: 'user', content }], ...more },
  };
}
export const plainSampling: Ask = sampling(
  { type: 'text', text: 'hi' },
  { systemPrompt: 's', temperature: 0, metadata: {} },
);
export const toolSampling: Ask = sampling(
  [
    { type: 'tool_use', id: 'u', name: 'add', input: {}, _meta: meta },
    { type: 'tool_result', toolUseId: 'u', content: [], structuredContent: { a: 1 }, _meta: meta },
  ],
  { tools: [{ name: 'add', inputSchema: { type: 'object' } }], toolChoice: { mode: 'auto' } },
);

/** Freezes all the way down, so that a mapping that writes to its argument throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}

/** Every key used anywhere in a value, as paths without indices. */
export function pathsIn(value: unknown, at: string = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [`${at}.${key}`, ...pathsIn(member, `${at}.${key}`)]);
}
