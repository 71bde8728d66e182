import { bridgeOverHttp } from './bridge.mjs';
import { args, command } from './steps.mjs';

await bridgeOverHttp('mcp-proxy/dist/bin/mcp-proxy.mjs', (port) => [
  '--port',
  port,
  '--host',
  '127.0.0.1',
  '--',
  command,
  ...args,
]);
