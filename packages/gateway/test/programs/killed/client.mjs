// A client of a bridge: `node client.mjs '<json>'` with { family, url } or { family, bridge } (settings of `bridge.mjs` as a child). Told by messages of its parent to
// call, and tells it what becomes of each call: { id, asked }, { id, result } or { id, error }. It answers questions after { answer: true }, or at once after that.
import { fileURLToPath } from 'node:url';
import { Client } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';

const { family, url, bridge } = JSON.parse(process.argv[2]);
const tell = (message) => process.connected && process.send(message);
const gate = {};
const close = () => {
  gate.opened = new Promise((resolve) => (gate.open = resolve));
};
close();

const client = new Client(
  { name: 'client', version: '1.0.0' },
  { revisions: family, capabilities: { elicitation: {} }, reconnect: { initialDelayMs: 50, maxDelayMs: 200 } },
);
client.setRequestHandler('elicitation/create', async ({ params }) => {
  const [which, id] = params.message.split(' ');
  tell({ id, asked: which });
  await gate.opened;
  return { action: 'accept', content: { word: `${which}-${id}` } };
});
const words = ({ content }) => content[0].text;

/** Waits for a task through everything that happens to the connection. */
async function waited(handle) {
  for (const end = Date.now() + 20_000; ;) {
    try {
      return await handle.wait();
    } catch (error) {
      if (typeof error.code === 'number' || Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const calls = {
  work: async (id) =>
    client.callTool({ name: 'work', arguments: { id } }, { onprogress: () => tell({ id, began: true }) }),
  ask: async (id) => client.callTool({ name: 'ask', arguments: { id } }),
  job: async (id) => {
    const handle = await client.startTask({ name: 'job', arguments: { id } });
    tell({ id, task: handle.taskId });
    return waited(handle);
  },
};

process.on('message', ({ call, id, answer, end }) => {
  if (answer === true) gate.open();
  if (answer === false) close();
  if (end) void client.close().finally(() => process.exit(0));
  if (call)
    calls[call](id).then(
      (result) => tell(result.isError ? { id, error: words(result) } : { id, result: words(result) }),
      (error) => tell({ id, error: error.message, code: error.code ?? null }),
    );
});

const args = [fileURLToPath(new URL('bridge.mjs', import.meta.url)), JSON.stringify(bridge)];
await client.connect(url ?? new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
tell({ ready: true });
