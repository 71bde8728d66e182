import { serveStdio } from 'crosspoint/server/stdio';
import { createServer } from './server.js';

await serveStdio(createServer());
