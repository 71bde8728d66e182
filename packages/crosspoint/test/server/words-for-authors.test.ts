import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { connectLinked } from '../../src/testing/index.ts';
import { McpServer } from '../../src/server/mcp-server.ts';
import { ResourceTemplate } from '../../src/server/offering/resource-template.ts';
import { Client } from '../../src/client/client-by-address.ts';

const INFO = { name: 'a', version: '1' };

/** A method as a program without types sees it. */
function untyped<Method extends 'registerTool' | 'registerPrompt' | 'registerResource'>(method: Method) {
  const server = new McpServer(INFO);
  return (...given: unknown[]): unknown => (server[method] as (...args: unknown[]) => unknown)(...given);
}

describe('a registration in which something is missing', () => {
  const handler = (): object => ({});

  it.each([
    ['registerTool', [], "registerTool needs a name as its first argument, not undefined: registerTool('add', "],
    ['registerTool', ['x', handler], 'The tool "x" needs a configuration before its handler, which may be {}: '],
    ['registerTool', ['x'], 'The configuration of the tool "x" is an object, not undefined: '],
    ['registerTool', ['x', 'Adds', handler], 'The configuration of the tool "x" is an object, not a string: '],
    ['registerTool', ['x', {}], 'The tool "x" needs a handler as the last argument: a function, not undefined: '],
    ['registerPrompt', ['x', handler], 'The prompt "x" needs a configuration before its handler'],
    ['registerPrompt', ['', {}, handler], 'registerPrompt needs a name as its first argument, not an empty one'],
    ['registerResource', ['x', 'a://b', handler], 'The resource "x" needs a configuration before its handler'],
    ['registerResource', ['x', handler], `The resource "x" needs a URI such as 'config://app' or a ResourceTemplate`],
  ] as const)('%s(%j)', (method, given, words) => {
    expect(() => untyped(method)(...given)).toThrow(words);
    expect(() => untyped(method)(...given)).toThrow(/: register\w+\('\w+', .*handler\)\.$/);
  });

  it('new ResourceTemplate(…)', () => {
    const make = (...given: unknown[]): unknown => Reflect.construct(ResourceTemplate, given);
    expect(() => make('a://{x}')).toThrow(
      `The ResourceTemplate "a://{x}" needs an object with list as its second argument, where undefined says that its resources cannot be listed: new ResourceTemplate('user://{id}', { list: undefined }).`,
    );
    expect(() => make('a://{x}', handler)).toThrow('needs an object with list');
    expect(() => make()).toThrow('A ResourceTemplate needs a URI template, not undefined');
  });

  it('new Client() and new McpServer()', () => {
    expect(() => Reflect.construct(McpServer, [])).toThrow("{ name: 'my-server', version: '1.0.0' }");
    expect(() => Reflect.construct(Client, [])).toThrow("{ name: 'my-client', version: '1.0.0' }");
  });
});

describe('a handler that returns no result says what came and what a result is', () => {
  const VALUES = [
    ['a string', 'sunny'],
    ['a number', 3],
    ['an array', []],
    ['a boolean', true],
  ] as const;

  async function offering(value: unknown) {
    const server = new McpServer(INFO);
    const returned = (): never => value as never;
    server.registerTool('t', {}, returned);
    server.registerTool('o', { outputSchema: z.object({ a: z.number() }) }, returned);
    server.registerPrompt('p', {}, returned);
    server.registerResource('r', 'a://r', {}, returned);
    return connectLinked(server);
  }

  it.each([...VALUES, ['undefined', undefined], ['null', null]] as const)(
    'a tool and a prompt: %s',
    async (kind, value) => {
      const { client, close } = await offering(value);
      await expect(client.callTool({ name: 't' })).rejects.toThrow(
        `The tool t returned ${kind}. Return text('…') or { content: [{ type: 'text', text: '…' }] }.`,
      );
      await expect(client.callTool({ name: 'o' })).rejects.toThrow(
        `The tool o returned ${kind}. Return { structuredContent: … } with what its outputSchema describes.`,
      );
      await expect(client.getPrompt({ name: 'p' })).rejects.toThrow(
        `The prompt p returned ${kind}. Return { messages: [{ role: 'user', content: { type: 'text', text: '…' } }] }.`,
      );
      await close();
    },
  );

  it.each(VALUES)('a resource: %s', async (kind, value) => {
    const { client, close } = await offering(value);
    await expect(client.readResource({ uri: 'a://r' })).rejects.toThrow(
      `The handler of the resource a://r returned ${kind}. Return { contents: [{ uri: 'a://r', text: '…' }] }, or undefined`,
    );
    await close();
  });

  it('an object of another shape', async () => {
    const { client, close } = await offering({ text: 'sunny' });
    await expect(client.callTool({ name: 't' })).rejects.toThrow(
      'The tool t returned an object without content. Return',
    );
    await expect(client.getPrompt({ name: 'p' })).rejects.toThrow('returned an object without a list of messages');
    await expect(client.readResource({ uri: 'a://r' })).rejects.toThrow('an object without a list of contents');
    await close();
  });
});

describe.each(['2026-07-28', '2025-11-25'])('an answer to a question that is none, %s', (revision) => {
  it.each([
    [{ action: 'declined' }, 'its action is "declined", and must be "accept", "decline" or "cancel".'],
    [{}, 'its action is missing, and must be "accept", "decline" or "cancel".'],
    ['accept', "The handler for elicitation/create returned a string. Return { action: 'accept', content: { … } }, "],
    [undefined, "The handler for elicitation/create returned undefined. Return { action: 'accept', "],
    [{ action: 'accept', content: 'Ada' }, 'its content must be an object with the fields of the form.'],
  ])('%j', async (answer, words) => {
    const server = new McpServer(INFO);
    server.registerTool('ask', {}, async (ctx) => {
      const { action } = await ctx.elicit({ message: 'Name?', schema: z.object({ name: z.string() }) });
      return { content: [{ type: 'text', text: action }] };
    });
    const told: string[] = [];
    const { client } = await connectLinked(server, {
      revision,
      capabilities: { elicitation: { form: {} } },
      prepare: (made) => {
        made.onerror = ({ message }) => void told.push(message);
        made.setRequestHandler('elicitation/create', () => answer as never);
      },
    });
    await client.callTool({ name: 'ask' }).catch((error: Error) => told.push(error.message));
    expect(told.join('\n')).toContain(words);
    await client.close();
  });
});
