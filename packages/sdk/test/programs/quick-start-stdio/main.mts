import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport, getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { say } from '../say.mjs';

// What one of the tools calls.
const weather = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://weather.example');
  response.end(JSON.stringify({ degrees: searchParams.get('city')?.length }));
});
await new Promise<void>((resolve) => weather.listen(0, '127.0.0.1', resolve));
const FORECAST_URL = `http://127.0.0.1:${(weather.address() as AddressInfo).port}/`;

const transport = new StdioClientTransport({
  command: process.execPath,
  args: [fileURLToPath(new URL('server.mjs', import.meta.url))],
  env: { ...getDefaultEnvironment(), KITCHEN_MOOD: 'cheerful', FORECAST_URL },
  stderr: 'pipe',
  cwd: fileURLToPath(new URL('.', import.meta.url)),
});
const heard = new Promise<string>((resolve) => {
  transport.stderr?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
});

const client = new Client({ name: 'guest', version: '1.0.0' });
const closed = new Promise<void>((resolve) => {
  client.onclose = resolve;
});
await client.connect(transport);
say('stderr', await heard);
say('child', typeof transport.pid);
say('server', client.getServerVersion());
say('instructions', client.getInstructions());
say('capabilities', client.getServerCapabilities());
say('ping', await client.ping());
say('cook', await client.callTool({ name: 'cook', arguments: { dish: 'soup' } }));
say('env', (await client.callTool({ name: 'env' })).content);
say('forecast', (await client.callTool({ name: 'forecast', arguments: { city: 'Oslo' } })).content);
say('menu', (await client.callTool({ name: 'menu' })).content);
await client.close();
weather.close();
weather.closeAllConnections();
await closed;
say('closed', { pid: transport.pid });
say('done');
