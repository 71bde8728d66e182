import { afterEach, describe, expect, it } from 'vitest';
import { closeAll } from '../carriers.ts';
import { ABLE, CELLS, answering, open } from './cell.ts';

afterEach(closeAll);

const told = (result: unknown): unknown => JSON.parse((result as { content: [{ text: string }] }).content[0].text);

describe.each(CELLS)('$down client over $downBy, $up server over $upBy', (cell) => {
  it('carries a call that asks three times', async () => {
    const { client } = await open(cell, { client: ABLE, prepare: answering });
    expect(told(await client.callTool({ name: 'interview' }))).toEqual([
      { name: 'my name' },
      'accept',
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('carries questions of prompts, lists, resources and completions', async () => {
    const { client } = await open(cell, { client: ABLE, prepare: answering });
    const { messages } = await client.getPrompt({ name: 'hello' });
    expect(messages[0]?.content).toMatchObject({ text: 'Hello, accept' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('interview');
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'hello' }]);
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'note://1' }]);
    expect((await client.readResource({ uri: 'note://1' })).contents).toMatchObject([{ text: 'one' }]);
    await expect(client.readResource({ uri: 'note://2' })).rejects.toMatchObject({ kind: 'resource-not-found' });
    expect(told(await client.callTool({ name: 'roots' }))).toEqual([{ uri: 'file:///home', name: 'home' }]);
  });

  it('says who the server is', async () => {
    const { client } = await open(cell);
    expect(client.getServerVersion()).toMatchObject({ name: 'behind', version: '3.0.0' });
    expect(client.getInstructions()).toBe('Ask first.');
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, logging: {}, resources: { subscribe: true } });
  });

  it('tells the server who the client is', async () => {
    const { client } = await open(cell, { client: ABLE });
    const facts = told(await client.callTool({ name: 'who', _meta: { 'acme/trace': 1 } }));
    const roots = cell.down === 'handshake' && cell.up === 'handshake' ? { listChanged: true } : {};
    expect(facts).toMatchObject({ client: { name: 'relay' }, capabilities: { elicitation: {}, sampling: {}, roots } });
    expect((facts as { capabilities: { roots: object } }).capabilities.roots).toEqual(roots);
    expect((facts as { meta: string[] }).meta).toContain('acme/trace');
  });

  it('brings progress and logs to their call', async () => {
    const logs: unknown[] = [];
    const { client } = await open(cell, { client: { onlog: (message) => logs.push(message) } });
    await client.setLoggingLevel('info');
    const progress: unknown[] = [];
    await client.callTool({ name: 'report' }, { onprogress: (value) => progress.push(value) });
    await expect
      .poll(() => progress)
      .toMatchObject([{ progress: 1 }, { progress: 2 }, { progress: 3, message: 'step 3' }]);
    await expect.poll(() => logs).toMatchObject([{ level: 'warning', data: 'one warning', logger: 'test' }]);
  });

  it('cancels at the server', async () => {
    const { client, seen } = await open(cell);
    const abort = new AbortController();
    const called = client.callTool({ name: 'slow' }, { signal: abort.signal });
    await expect.poll(() => seen).toEqual(['slow began']);
    abort.abort();
    await expect(called).rejects.toThrow();
    await expect.poll(() => seen).toEqual(['slow began', 'slow cancelled']);
  });

  it('tells of changes to those who watch', async () => {
    const { client } = await open(cell);
    const changes: unknown[] = [];
    await client.watch({ tools: true, uris: ['note://1'] }, { onchange: (change) => void changes.push(change) });
    await client.callTool({ name: 'grow' });
    await expect
      .poll(() => changes)
      .toEqual(expect.arrayContaining([{ kind: 'tools' }, { kind: 'resource', uri: 'note://1' }]));
    expect(changes).toHaveLength(2);
  });

  it('carries a task with its question', async () => {
    const { client } = await open(cell, { client: ABLE, prepare: answering });
    const handle = await client.startTask({ name: 'job' });
    expect(handle.taskId).toBeDefined();
    expect(told({ content: [{ text: JSON.stringify(await handle.wait()) }] })).toMatchObject({
      content: [{ type: 'text', text: 'job my job' }],
    });
  });

  it('cancels a task at the server', async () => {
    const { client, hop } = await open(cell, {
      client: ABLE,
      prepare: (one) => one.setRequestHandler('elicitation/create', () => new Promise(() => {})),
    });
    const handle = await client.startTask({ name: 'job' });
    await expect.poll(async () => (await handle.status())?.status).toBe('input_required');
    await handle.cancel();
    await expect.poll(() => hop.filter(({ message }) => message['method'] === 'tasks/cancel').length).toBe(1);
    expect((await handle.status())?.status).toBe('cancelled');
  });
});
