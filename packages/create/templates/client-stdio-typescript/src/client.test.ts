import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect, describeServer } from './client.js';

test('the client lists and calls the tools of a server', async () => {
  const client = await connect('node', [fileURLToPath(new URL('example-server.js', import.meta.url))]);
  assert.match(await describeServer(client), /example speaks .*\n- greet: Greets somebody by name/);
  const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  assert.deepEqual(content, [{ type: 'text', text: 'Hello, Ada!' }]);
  await client.close();
});
