import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { McpServer, ResourceTemplate, text } from '../../src/server/index.ts';
import { stateless, Wire } from './wire.ts';

const info = { name: 'handles', version: '1.0' };
const say = (words: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: words } }],
});
const read = (words: string) => (uri: URL) => ({ contents: [{ uri: uri.href, text: words }] });

async function setUp(): Promise<{ server: McpServer; wire: Wire; names: (list: string) => Promise<string[]> }> {
  const server = new McpServer(info, { capabilities: { tools: {}, prompts: {}, resources: {} } });
  const wire = await Wire.open(server);
  const names = async (list: string): Promise<string[]> => {
    const result = await wire.result(list, {}, stateless);
    return (Object.values(result).find(Array.isArray) as { name: string }[]).map((item) => item.name);
  };
  return { server, wire, names };
}

describe('a tool', () => {
  test('that is disabled is neither listed nor callable until it is enabled', async () => {
    const { server, wire, names } = await setUp();
    const tool = server.registerTool('t', {}, () => text('on'));
    expect(tool.enabled).toBe(true);
    tool.disable();
    expect(tool.enabled).toBe(false);
    expect(await names('tools/list')).toEqual([]);
    expect((await wire.error('tools/call', { name: 't' }, stateless)).code).toBe(-32602);
    tool.enable();
    expect(await names('tools/list')).toEqual(['t']);
    expect((await wire.call('t', {}, stateless)).content[0].text).toBe('on');
    tool.update({ enabled: false });
    expect(await names('tools/list')).toEqual([]);
  });

  test('keeps its place when it is renamed or changed', async () => {
    const { server, wire, names } = await setUp();
    const first = server.registerTool('first', { description: 'old' }, () => text('old'));
    server.registerTool('second', {}, () => text(''));
    first.update({ name: 'renamed', description: 'new', title: 'T', callback: () => text('new') });
    expect([first.name, first.description, first.title]).toEqual(['renamed', 'new', 'T']);
    expect(await names('tools/list')).toEqual(['renamed', 'second']);
    expect((await wire.call('renamed', {}, stateless)).content[0].text).toBe('new');
    expect((await wire.error('tools/call', { name: 'first' }, stateless)).code).toBe(-32602);
    server.registerTool('first', {}, () => text('another'));
    expect(await names('tools/list')).toEqual(['renamed', 'second', 'first']);
  });

  test('takes new schemas, by either name', async () => {
    const { server, wire } = await setUp();
    const tool = server.registerTool('t', { inputSchema: { a: z.string() } }, (args) => text(JSON.stringify(args)));
    tool.update({ paramsSchema: { b: z.number() } });
    expect(await wire.call('t', { a: 'x' }, stateless)).toMatchObject({ isError: true });
    expect((await wire.call('t', { b: 7 }, stateless)).content[0].text).toBe('{"b":7}');
    tool.update({ inputSchema: { c: z.boolean() } } as object);
    expect((await wire.call('t', { c: true }, stateless)).content[0].text).toBe('{"c":true}');
    tool.update({ outputSchema: { n: z.number() } });
    expect(await wire.call('t', { c: true }, stateless)).toMatchObject({ isError: true });
  });

  test('is removed by remove, or by the name null, once and for all', async () => {
    const { server, names } = await setUp();
    const one = server.registerTool('one', {}, () => text(''));
    const two = server.registerTool('two', {}, () => text(''));
    one.remove();
    one.remove();
    two.update({ name: null });
    expect(await names('tools/list')).toEqual([]);
    for (const change of [() => one.enable(), () => one.disable(), () => two.update({ title: 'x' })])
      expect(change).toThrow('was removed');
    server.registerTool('one', {}, () => text(''));
    one.remove();
    expect(await names('tools/list')).toEqual(['one']);
  });

  test('stays as it was when a change is not possible', async () => {
    const { server, wire, names } = await setUp();
    const tool = server.registerTool('t', { inputSchema: { a: z.string() } }, () => text('ok'));
    server.registerTool('taken', {}, () => text(''));
    expect(() => tool.update({ name: 'taken' })).toThrow('already registered');
    expect(() => tool.update({ paramsSchema: { type: 'nonsense' } as never })).toThrow();
    expect(tool.name).toBe('t');
    expect(await names('tools/list')).toEqual(['t', 'taken']);
    expect((await wire.call('t', { a: 'x' }, stateless)).content[0].text).toBe('ok');
  });
});

describe('a resource', () => {
  test('is changed, moved, disabled and removed', async () => {
    const { server, wire } = await setUp();
    const resource = server.registerResource('r', 'r:1', { title: 'old' }, read('old'));
    resource.update({ uri: 'r:2', name: 'renamed', title: 'new', callback: read('new') });
    expect([resource.uri, resource.name, resource.title]).toEqual(['r:2', 'renamed', 'new']);
    expect((await wire.result('resources/list', {}, stateless)).resources).toEqual([
      { uri: 'r:2', name: 'renamed', title: 'new' },
    ]);
    expect((await wire.result('resources/read', { uri: 'r:2' }, stateless)).contents[0].text).toBe('new');
    await wire.error('resources/read', { uri: 'r:1' }, stateless);
    resource.disable();
    await wire.error('resources/read', { uri: 'r:2' }, stateless);
    resource.update({ uri: null });
    expect((await wire.result('resources/list', {}, stateless)).resources).toEqual([]);
  });

  test('that is disabled is not read through a template that matches it', async () => {
    const { server, wire } = await setUp();
    server.registerResource('t', new ResourceTemplate('r:{x}', { list: undefined }), {}, read('by the template'));
    const resource = server.registerResource('r', 'r:1', {}, read('by the resource'));
    resource.disable();
    await wire.error('resources/read', { uri: 'r:1' }, stateless);
    resource.remove();
    expect((await wire.result('resources/read', { uri: 'r:1' }, stateless)).contents[0].text).toBe('by the template');
  });

  test('template takes a new pattern', async () => {
    const { server, wire } = await setUp();
    const handle = server.registerResource('t', new ResourceTemplate('old:{x}', { list: undefined }), {}, read('x'));
    handle.update({ template: new ResourceTemplate('new:{x}', { list: undefined }), name: 'renamed' });
    expect((await wire.result('resources/templates/list', {}, stateless)).resourceTemplates).toEqual([
      { uriTemplate: 'new:{x}', name: 'renamed' },
    ]);
    await wire.result('resources/read', { uri: 'new:1' }, stateless);
    await wire.error('resources/read', { uri: 'old:1' }, stateless);
    expect(handle.resourceTemplate.uriTemplate.toString()).toBe('new:{x}');
    handle.update({ name: null });
    await wire.error('resources/read', { uri: 'new:1' }, stateless);
  });
});

test('a prompt is changed, disabled and removed', async () => {
  const { server, wire, names } = await setUp();
  const prompt = server.registerPrompt('p', { argsSchema: { a: z.string() } }, () => say('old'));
  prompt.update({ name: 'renamed', title: 'T', argsSchema: { b: z.string() }, callback: () => say('new') });
  expect((await wire.result('prompts/list', {}, stateless)).prompts).toEqual([
    { name: 'renamed', title: 'T', arguments: [{ name: 'b', required: true }] },
  ]);
  expect(
    (await wire.result('prompts/get', { name: 'renamed', arguments: { b: '' } }, stateless)).messages[0].content.text,
  ).toBe('new');
  prompt.disable();
  expect(await names('prompts/list')).toEqual([]);
  await wire.error('prompts/get', { name: 'renamed', arguments: { b: '' } }, stateless);
  prompt.enable();
  prompt.update({ name: null });
  expect(await names('prompts/list')).toEqual([]);
});
