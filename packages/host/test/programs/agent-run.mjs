// Runs an agent with a SQLite store, and kills itself at a point: the nth time that a step is about to be written, was written, or an event comes.
// Its one argument is JSON: { url, file, id, plan, killAt }. Prints the number of points that it passed.
import { Host } from '@crosspoint/host';
import { agent } from '@crosspoint/host/agent';
import { sqliteStore } from 'crosspoint/stores/sqlite';

const { url, file, id, plan, killAt } = JSON.parse(process.argv[2]);
const builtIn = await import('node:sqlite').catch(() => undefined);
const { DatabaseSync } = builtIn ?? (await import('@photostructure/sqlite'));

let points = 0;
const point = () => {
  points += 1;
  if (points === killAt) process.kill(process.pid, 'SIGKILL');
};

const store = sqliteStore(new DatabaseSync(file));
const put = store.put.bind(store);
store.put = async (key, value, options) => {
  const isStep = key.startsWith('host/runs/');
  if (isStep) point();
  const version = await put(key, value, options);
  if (isStep) point();
  return version;
};

const model = {
  name: 'planned',
  models: () => [{ name: 'planned-1' }],
  complete: async ({ model, messages }) => {
    const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0 };
    return { model, usage, ...plan[messages.filter(({ role }) => role === 'assistant').length] };
  },
};

const host = new Host({
  name: 'killed',
  version: '1.0.0',
  store,
  servers: { shop: { url, isTrusted: true } },
  policy: { default: { call: 'allow', start: 'allow' } },
  agent: agent({ models: [model] }),
});
const run = host.run('Buy it.', { id });
for await (const { type } of run) {
  void type;
  point();
}
console.log(points);
await host.close();
await store.close();
