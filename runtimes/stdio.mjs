import { serveStdio } from 'crosspoint/server/stdio';
import { createServer } from '../examples/runtimes/server.js';

await serveStdio(createServer());
