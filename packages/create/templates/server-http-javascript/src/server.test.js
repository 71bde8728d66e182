import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'crosspoint/client';
import { connectLinked } from 'crosspoint/testing';
import { listen } from './listen.js';
import { createMcpServer } from './server.js';

test('greet greets by name, over HTTP', async () => {
  const { url, close } = await listen(0);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(url);
  const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  assert.deepEqual(content, [{ type: 'text', text: 'Hello, Ada!' }]);
  await client.close();
  await close();
});

test('greet without a name is an error that the model can read', async () => {
  const { client, close } = await connectLinked(createMcpServer());
  const { isError } = await client.callTool({ name: 'greet', arguments: {} });
  assert.equal(isError, true);
  await close();
});
