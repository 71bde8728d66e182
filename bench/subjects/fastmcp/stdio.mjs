import { createServer } from './server.mjs';

export async function start(options) {
  await createServer(options).start({ transportType: 'stdio' });
}
