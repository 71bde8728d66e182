import { fileURLToPath } from 'node:url';
import { connect, describeServer } from './client.js';

const [command, ...args] = process.argv.slice(2);

if (command === undefined) {
  // Without a command, the example server of this folder is started.
  const client = await connect('node', [fileURLToPath(new URL('example-server.js', import.meta.url))]);
  console.log(await describeServer(client));
  console.log(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } }));
  await client.close();
} else {
  const client = await connect(command, args);
  console.log(await describeServer(client));
  await client.close();
}
