import { connect, describeServer } from './client.js';
import { listen } from './example-server.js';

const [url] = process.argv.slice(2);

if (url === undefined) {
  // Without an address, the example server of this folder is started.
  const example = await listen(0);
  const client = await connect(example.url);
  console.log(await describeServer(client));
  console.log(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } }));
  await client.close();
  await example.close();
} else {
  const client = await connect(url);
  console.log(await describeServer(client));
  await client.close();
}
