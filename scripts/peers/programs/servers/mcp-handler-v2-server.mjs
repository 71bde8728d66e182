import { createMcpHandler } from 'mcp-handler';
import { serveFetch } from './serve-fetch.mjs';
import { addV2Features } from './v2-features.mjs';

serveFetch(createMcpHandler(addV2Features, { serverInfo: { name: 'mcp-handler', version: '2.0.0' } }));
