import { serveStdio } from 'crosspoint/server/stdio';
import { createServer } from './server.mjs';

export async function start(options) {
  await serveStdio(await createServer(options));
}
