import { serveStdio } from 'crosspoint/server/stdio';
import { release, waiting } from '../tools.mjs';
import { createServer } from './server.mjs';

export async function start(options) {
  await serveStdio(await createServer(options));
  return { commands: { release, waiting } };
}
