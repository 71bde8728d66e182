/** Checks of a client against the server of examples/runtimes/, on any pair of runtimes. */
import { Client } from 'crosspoint/client';

const PATIENCE_MS = 10_000;
export const FAMILIES = ['handshake', 'per-request'];

function expectEqual(actual, expected, what) {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`${what}: ${got} instead of ${wanted}`);
}

const textOf = (result) => result.content[0].text;
const call = (client, name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options);

async function lists(client) {
  const { tools } = await client.listTools();
  expectEqual(
    tools.map((tool) => tool.name),
    ['add', 'count', 'welcome', 'wait', 'cancelled', 'tell'],
    'tools',
  );
}

async function calls(client) {
  expectEqual(textOf(await call(client, 'add', { a: 2, b: 40 })), '42', 'add');
  const wrong = await call(client, 'add', { a: 'two', b: 40 }).then(
    (result) => result.isError,
    () => true,
  );
  expectEqual(wrong, true, 'add with wrong arguments is an error');
}

async function streams(client) {
  const steps = [];
  expectEqual(
    textOf(await call(client, 'count', {}, { onprogress: ({ progress }) => steps.push(progress) })),
    'Counted.',
    'count',
  );
  expectEqual(steps, [1, 2, 3], 'progress');
}

async function asks(client) {
  expectEqual(textOf(await call(client, 'welcome')), 'Welcome, Ada!', 'welcome');
}

async function cancels(client) {
  const before = Number(textOf(await call(client, 'cancelled')));
  const giveUp = new AbortController();
  const waiting = call(client, 'wait', {}, { signal: giveUp.signal, onprogress: () => giveUp.abort() });
  const outcome = await waiting.then(
    () => 'answered',
    () => 'cancelled',
  );
  expectEqual(outcome, 'cancelled', 'wait');
  await until(async () => Number(textOf(await call(client, 'cancelled'))) > before);
}

/** The stream for changes is opened in the background: earlier changes are not received. */
async function watches(client, heard) {
  const before = heard.changes;
  await until(async () => {
    await call(client, 'tell');
    return heard.changes > before;
  });
}

const CHECKS = { lists, calls, streams, asks, cancels, watches };

async function until(holds) {
  for (const end = Date.now() + PATIENCE_MS; !(await holds());) {
    if (Date.now() > end) throw new Error('It did not happen.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function within(promise, what) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** One check: its name, and its error if it failed. */
export async function attempt(name, run) {
  try {
    await within(run(), name);
    return { name };
  } catch (error) {
    return { name, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

function createVisitor(family, heard) {
  const onChanged = () => {
    heard.changes += 1;
  };
  const listChanged = { tools: { autoRefresh: false, debounceMs: 10, onChanged } };
  const options = { revisions: family, capabilities: { elicitation: {} }, listChanged };
  const client = new Client({ name: 'crosspoint-runtimes', version: '1.0.0' }, options);
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  return client;
}

/** Runs every check in one family; `connect(client)` connects a client to the server. */
export async function visit(label, family, connect) {
  const heard = { changes: 0 };
  const client = createVisitor(family, heard);
  const prefix = `${label}, ${family}:`;
  const results = [
    await attempt(`${prefix} connects`, async () => {
      await connect(client);
      expectEqual(client.family, family, 'family');
    }),
  ];
  if (results[0].error !== undefined) return results;
  for (const [name, check] of Object.entries(CHECKS))
    results.push(await attempt(`${prefix} ${name}`, () => check(client, heard)));
  results.push(await attempt(`${prefix} closes`, () => client.close()));
  return results;
}

/** Runs every check in both families against an address. */
export async function visitAddress(label, url) {
  const results = [];
  for (const family of FAMILIES) results.push(...(await visit(label, family, (client) => client.connect(url))));
  return results;
}
