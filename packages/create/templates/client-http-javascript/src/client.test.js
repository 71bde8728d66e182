import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, describeServer } from './client.js';
import { listen } from './example-server.js';

test('the client lists and calls the tools of a server', async () => {
  const { url, close } = await listen(0);
  const client = await connect(url);
  assert.match(await describeServer(client), /example speaks .*\n- greet: Greets somebody by name/);
  const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  assert.deepEqual(content, [{ type: 'text', text: 'Hello, Ada!' }]);
  await client.close();
  await close();
});
