import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { args, command, url } from './steps.mjs';
import { useWithV1 } from './v1-use.mjs';

await useWithV1(
  url === undefined ? new StdioClientTransport({ command, args }) : new StreamableHTTPClientTransport(new URL(url)),
);
