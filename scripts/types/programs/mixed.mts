import { McpServer } from 'crosspoint/server';
import { connectLinked } from 'crosspoint/testing';
import { asServer } from './greeter.js';

// The server comes from a file that is compiled to require(). Its class, which has private members, is the one that is imported here.
const server: McpServer = asServer;
const { client, close } = await connectLinked(server);
const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
console.log(JSON.stringify([server instanceof McpServer, content]));
await close();
