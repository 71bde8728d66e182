import { serveStdio } from 'crosspoint/server/stdio';
import { createDemoServer } from './demo-server.ts';

await serveStdio(createDemoServer());
