// A hostile server over stdio: `node hostile.mjs <kind> [number]`. It speaks the handshake as far as its kind lets it.
//   exit <n>     ends with the n-th message that it gets
//   garbage      writes lines that are no messages before each answer, and bytes that are no text
//   unknown-ids  answers requests that nobody made
//   notes        sends notifications without end
//   changes      says without end that its lists have changed
//   asks <n>     asks n times for the answer of the user, and reads nothing
//   cursors      has a list that never ends
//   stderr       writes to stderr without end, with control characters
//   names        has tools with names that are traps
//   items        has lists that hold what is no tool
import { createInterface } from 'node:readline';

const [kind, number] = process.argv.slice(2);
const limit = Number(number ?? 0);
// Nested too deeply for JSON.stringify, here and at the host.
const DEEP = `${'{"type":"object","properties":{"a":'.repeat(5000)}{}${'}}'.repeat(5000)}`;
const write = (message) => process.stdout.write(`${JSON.stringify(message).replace('"DEEP"', DEEP)}\n`);
const note = (method, params = {}) => write({ jsonrpc: '2.0', method, params });
const reply = (id, result) => write({ jsonrpc: '2.0', id, result });
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const tool = (name, more = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
process.stdout.on('error', () => process.exit(0));

const NAMES = [
  '__proto__',
  'constructor',
  '',
  'x'.repeat(1_000_000),
  'same',
  'same',
  '\u001b[2J\u0000',
  '\ud800',
  'then',
];
const TOOLS = {
  names: NAMES.map((name, at) => tool(name, { description: `\u001b]0;owned\u0007 ${at}` })),
  items: [
    tool('good'),
    null,
    42,
    { name: 7 },
    [],
    { name: 'bare' },
    tool('deep', { inputSchema: 'DEEP' }),
    tool('meta', { _meta: { ui: 4 } }),
  ],
};

function forever(send) {
  const turn = () => {
    for (let at = 0; at < 200; at += 1) send(at);
    if (process.stdout.writableNeedDrain) process.stdout.once('drain', () => setImmediate(turn));
    else setImmediate(turn);
  };
  turn();
}

const calls = {
  garbage: () => {
    process.stdout.write('Listening on port 8080\n{"jsonrpc":"2.0"}\n[]\nnull\n');
    process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
  },
  'unknown-ids': () => {
    for (const id of [99_999, -1, 'x', null, {}]) write({ jsonrpc: '2.0', id, result: text('unasked') });
    write({ jsonrpc: '2.0', error: { code: 1, message: 'no' } });
  },
};

function begin() {
  if (kind === 'notes')
    forever((at) => note('notifications/message', { level: 'error', logger: '\u001b[31m', data: `line ${at} \u202e` }));
  if (kind === 'changes')
    forever((at) => note(`notifications/${['tools', 'prompts', 'resources'][at % 3]}/list_changed`));
  if (kind === 'stderr') {
    const noise = () =>
      process.stderr.write(`${'\u001b[31mnoise '.repeat(500)}\n`.repeat(20), () => setImmediate(noise));
    noise();
  }
  if (kind === 'asks')
    for (let at = 0; at < limit; at += 1)
      write({
        jsonrpc: '2.0',
        id: `q${at}`,
        method: 'elicitation/create',
        params: {
          message: `\u001b[2J ${at}`,
          requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
        },
      });
}

let seen = 0;
createInterface({ input: process.stdin }).on('line', (line) => {
  seen += 1;
  if (kind === 'exit' && seen >= limit) process.exit(5);
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) calls[kind]?.();
  if (method === 'initialize')
    reply(id, {
      protocolVersion: params.protocolVersion,
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true },
        logging: {},
      },
      serverInfo: { name: 'hostile', version: '1' },
      instructions: '\u001b[2J',
    });
  else if (method === 'notifications/initialized') begin();
  else if (method === 'tools/list')
    reply(id, {
      tools: TOOLS[kind] ?? [tool(`t${params?.cursor ?? ''}`)],
      ...(kind === 'cursors' && { nextCursor: `${Math.random()}` }),
    });
  else if (method === 'prompts/list') reply(id, { prompts: kind === 'items' ? [null, { name: 3 }] : [] });
  else if (method === 'resources/list') reply(id, { resources: kind === 'items' ? [null, { uri: 3 }] : [] });
  else if (method === 'resources/templates/list') reply(id, { resourceTemplates: kind === 'items' ? [null, 3] : [] });
  else if (method === 'tools/call') reply(id, text(`called ${String(params.name).length}`));
  else if (id !== undefined) write({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
});
