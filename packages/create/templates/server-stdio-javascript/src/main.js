import { serveStdio } from 'crosspoint/server/stdio';
import { createMcpServer } from './server.js';

// Serves the program that started this process. stdout belongs to the protocol: what is logged goes to stderr.
await serveStdio(createMcpServer());
