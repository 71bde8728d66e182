import { TransportClient, StdioClientTransport } from 'crosspoint/client/stdio';

const client = new TransportClient({ name: 'app', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: 'node', args: ['server.mjs'] }));
console.log(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }));
await client.close();
