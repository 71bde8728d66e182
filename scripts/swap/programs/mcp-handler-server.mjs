import { serve } from '@hono/node-server';
import { createMcpHandler } from 'mcp-handler';
import { addFeatures } from './features.mjs';

const handler = createMcpHandler(addFeatures, { serverInfo: { name: 'mcp-handler', version: '1.0.0' } });
serve({ fetch: handler, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}/mcp`));
