import { fileURLToPath } from 'node:url';
import { protocolRevisions } from 'crosspoint';
import { Client } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { connectLinked } from 'crosspoint/testing';
import { expect, test } from 'vitest';
import { createEchoServer } from './echo-server.ts';

test.each(protocolRevisions)('a tool, a resource and a prompt say what they are told in $id', async ({ id }) => {
  const { client, close } = await connectLinked(createEchoServer(), { revision: id });
  const message = 'hällo';
  expect(await client.callTool({ name: 'echo', arguments: { message } })).toMatchObject({
    content: [{ text: message }],
  });
  expect((await client.readResource({ uri: 'echo://again' })).contents).toEqual([
    { uri: 'echo://again', text: 'again' },
  ]);
  const { messages } = await client.getPrompt({ name: 'echo', arguments: { message } });
  expect(messages[0]?.content).toEqual({ type: 'text', text: 'Please say: hällo' });
  await close();
});

test('the program answers over stdio', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const program = fileURLToPath(new URL('../dist/echo/stdio.js', import.meta.url));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program] }));
  expect(await client.callTool({ name: 'echo', arguments: { message: 'hi' } })).toMatchObject({
    content: [{ text: 'hi' }],
  });
  await client.close();
});
