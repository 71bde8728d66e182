import { serveStdio } from 'crosspoint/server/stdio';
import { createEchoServer } from './echo-server.ts';

await serveStdio(createEchoServer());
