import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectLinked } from 'crosspoint/testing';
import { createMcpServer } from './server.js';

test('greet greets by name', async () => {
  const { client, close } = await connectLinked(createMcpServer());
  const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  assert.deepEqual(content, [{ type: 'text', text: 'Hello, Ada!' }]);
  await close();
});

test('greet without a name is an error that the model can read', async () => {
  const { client, close } = await connectLinked(createMcpServer());
  const { isError } = await client.callTool({ name: 'greet', arguments: {} });
  assert.equal(isError, true);
  await close();
});
