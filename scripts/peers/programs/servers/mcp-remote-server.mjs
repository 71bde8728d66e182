import { serveBehind } from './behind.mjs';

serveBehind('mcp-remote/dist/proxy.js', (url) => [url, '--transport', 'http-only']);
