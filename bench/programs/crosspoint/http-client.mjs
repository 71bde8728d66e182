import { Client } from 'crosspoint/client';

const client = new Client({ name: 'app', version: '1.0.0' });
await client.connect('http://127.0.0.1:3000/mcp');
console.log(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }));
await client.close();
