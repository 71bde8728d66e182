// One node of a shop, over stdio: charges a card, which it writes into a file, and then asks where to send the goods.
//   node shop.mjs <folder of the compiled sources> <file of charges>; the key is in ASKING_KEY
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, charges] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(folder, path)).href);
const { McpServer, text } = await load('server/index.js');
const { serveStdio } = await load('transports/stdio/serve-stdio.js');

const schema = { type: 'object', properties: { place: { type: 'string' } } };
const server = new McpServer({ name: 'shop', version: '1' }, { asking: { keys: [process.env.ASKING_KEY] } });
server.registerTool('buy', {}, async (ctx) => {
  const by = await ctx.step('charge', ({ idempotencyKey }) => {
    appendFileSync(charges, `${idempotencyKey}\n`);
    return process.pid;
  });
  const answer = await ctx.elicit({ message: 'Where to?', schema });
  return text(JSON.stringify({ chargedBy: by, sentBy: process.pid, to: answer.content.place }));
});
await serveStdio(server);
