import type Anthropic from '@anthropic-ai/sdk';
import { asSchema, jsonSchema, tool as aiTool, type ToolSet } from 'ai';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { shapeSchema } from '../../src/catalogue/exports/shape-schema.ts';
import {
  toAiSdkTools,
  toAnthropicTools,
  toOpenAiChatTools,
  toOpenAiTools,
} from '../../src/catalogue/exports/tool-formats.ts';
import { tokenReport } from '../../src/catalogue/token-report.ts';
import type { JsonObject } from '../../src/values/json.ts';

function catalogueOf(tools: readonly object[]): Catalogue {
  const catalogue = new Catalogue();
  catalogue.set('shop', { tools: tools as never, prompts: [], resources: [], templates: [] });
  return catalogue;
}

const ORDER = {
  name: 'order',
  title: 'Order',
  description: 'Orders things.',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
};

describe('formats of tools', () => {
  const tools = catalogueOf([ORDER]).tools();

  it('are those of the APIs, by their own types', () => {
    const anthropic: Anthropic.Tool[] = toAnthropicTools(tools).tools;
    const chat: OpenAI.Chat.ChatCompletionTool[] = toOpenAiChatTools(tools).tools;
    const responses: OpenAI.Responses.FunctionTool[] = toOpenAiTools(tools).tools;
    const parameters = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
    expect(anthropic).toEqual([{ name: 'shop__order', description: 'Orders things.', input_schema: parameters }]);
    expect(chat).toEqual([
      { type: 'function', function: { name: 'shop__order', description: 'Orders things.', parameters } },
    ]);
    expect(responses).toEqual([
      { type: 'function', name: 'shop__order', description: 'Orders things.', parameters, strict: false },
    ]);
  });

  it('are those of the AI SDK, which calls through the host', async () => {
    const calls: unknown[] = [];
    const { tools: set } = toAiSdkTools(tools, {
      jsonSchema: (schema) => jsonSchema(schema as never),
      call: (name, args, { signal }) => {
        calls.push([name, args, signal?.aborted]);
        return Promise.resolve('done');
      },
    });
    const typed: ToolSet = Object.fromEntries(Object.entries(set).map(([name, one]) => [name, aiTool(one as never)]));
    const order = typed['shop__order'];
    expect(await asSchema(order?.inputSchema).jsonSchema).toMatchObject({ properties: { id: { type: 'string' } } });
    const options = { toolCallId: '1', messages: [], abortSignal: new AbortController().signal };
    expect(await order?.execute?.({ id: 'a' }, options)).toBe('done');
    expect(calls).toEqual([['shop__order', { id: 'a' }, false]]);
  });

  it('cut a description that an API would refuse, and say so', () => {
    const long = catalogueOf([{ ...ORDER, description: 'x'.repeat(2000) }]).tools();
    const {
      tools: [first],
      changes,
    } = toOpenAiTools(long);
    expect(first?.description).toHaveLength(1024);
    expect(changes).toEqual([{ tool: 'shop__order', text: 'The description is cut after 1024 characters.' }]);
    expect(toAnthropicTools(long).tools[0]?.description).toHaveLength(2000);
  });
});

describe('a schema for models', () => {
  const shaped = (schema: object) => shapeSchema(schema as JsonObject);

  it('is an object, whatever the server wrote', () => {
    expect(shaped({}).schema).toEqual({ type: 'object', properties: {} });
    expect(shaped({ type: ['object', 'null'], $schema: 'x', enum: [{}] }).schema).toEqual({
      type: 'object',
      properties: {},
    });
  });

  it.each(['anyOf', 'oneOf'])(
    'has the arguments of every part of a top-level %s, and requires those that all require',
    (keyword) => {
      const part = (name: string) => ({
        properties: { [name]: {}, both: { type: 'number' } },
        required: [name, 'both'],
      });
      const { schema, changes } = shaped({ type: 'object', [keyword]: [part('a'), part('b')] });
      expect(schema).toEqual({
        type: 'object',
        properties: { a: {}, b: {}, both: { type: 'number' } },
        required: ['both'],
      });
      expect(changes).toHaveLength(1);
    },
  );

  it('requires everything that the parts of a top-level allOf require', () => {
    const { schema } = shaped({
      allOf: [
        { properties: { a: {} }, required: ['a'] },
        { properties: { b: {} }, required: ['b'] },
      ],
    });
    expect(schema.required).toEqual(['a', 'b']);
  });

  it('follows a reference at the top, keeps those inside, and fetches none', () => {
    const { schema, changes } = shaped({
      $ref: '#/$defs/order',
      $defs: {
        order: { properties: { item: { $ref: '#/$defs/item' }, far: { $ref: 'https://example.com/s.json' } } },
        item: {},
      },
    });
    expect(schema.properties).toEqual({ item: { $ref: '#/$defs/item' }, far: {} });
    expect(changes).toEqual(['The reference to "https://example.com/s.json" is left out: nothing is fetched.']);
  });

  it('gives every list its items, and leaves out arguments that no API takes', () => {
    const { schema, changes } = shaped({
      properties: { list: { type: 'array' }, 'a b': {} },
      required: ['list', 'a b'],
    });
    expect(schema).toEqual({ type: 'object', properties: { list: { type: 'array', items: {} } }, required: ['list'] });
    expect(changes).toEqual(['The argument "a b" is left out: its name is not one that APIs take.']);
  });

  it('of a server that nests without end is cut', () => {
    let nested: object = {};
    for (let depth = 0; depth < 5000; depth += 1) nested = { properties: { a: nested } };
    expect(JSON.stringify(shaped({ properties: { a: nested } }).schema).length).toBeLessThan(2000);
  });
});

it('reports the tokens of every server and tool, the most first', () => {
  const catalogue = catalogueOf([
    { ...ORDER, name: 'small', description: '' },
    { ...ORDER, description: 'long '.repeat(100) },
  ]);
  catalogue.set('other', { tools: [{ ...ORDER, name: 'x' }] as never, prompts: [], resources: [], templates: [] });
  const report = tokenReport(catalogue.tools());
  expect(report.servers.map(({ server, tools }) => [server, tools.map(({ name }) => name)])).toEqual([
    ['shop', ['shop__order', 'shop__small']],
    ['other', ['other__x']],
  ]);
  expect(report.total).toBe(report.servers.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(tokenReport(catalogue.tools(), () => 1).total).toBe(3);
});
