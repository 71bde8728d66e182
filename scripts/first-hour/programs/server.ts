import { McpServer, serveStdio, text } from 'crosspoint/server/stdio';
import * as z from 'zod';

const server = new McpServer({ name: 'greeter', version: '1.0.0' });
server.registerTool('greet', { inputSchema: { name: z.string() } }, ({ name }) => text(`Hello, ${name}!`));

void serveStdio(server);
