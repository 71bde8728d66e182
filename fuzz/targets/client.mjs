/** The client against a hostile server, over Streamable HTTP, the older transport and stdio: every promise settles, and nothing ends its process. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, createVerdictMemory } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { cpuMs, fault, verdict, within } from '../engine/verdict.mjs';
import { hostileString, hostileValue } from '../inputs/hostile-values.mjs';
import { HANDSHAKES, NEWEST } from '../inputs/messages.mjs';
import { cuts, hostileJson, mutated } from '../inputs/mutate.mjs';
import { HostileHttp } from '../subjects/hostile-http.mjs';
import { GOOD, goodAnswer } from '../subjects/hostile-script.mjs';

const PROGRAM = fileURLToPath(new URL('../programs/hostile-stdio.mjs', import.meta.url));
const scriptOf = (lane) => fileURLToPath(new URL(`../../.cache/fuzz/client/script-${lane}.json`, import.meta.url));
const LANES = 8;
const TIMEOUTS = { connectMs: 600, probeMs: 150, idleMs: 200, totalMs: 500 };
/** Longer than the limits of the client together: the calls of one case run side by side. */
const SETTLE_MS = 8000;
/** Of the client and the server together. */
const MOST_CPU_MS = 8000;
const MOST_SOCKETS = 150;
const MOST_PROBLEMS = 1000;
const MOST_REQUESTS = 3000;

export const target = {
  name: 'client',
  about: 'the client against a hostile server',
  patienceMs: 40_000,
  lanes: LANES,
  async start() {
    const servers = await Promise.all(Array.from({ length: LANES }, (_, lane) => new HostileHttp(lane).start()));
    const free = [...servers];
    return {
      generate,
      async run(input) {
        const server = free.pop();
        try {
          return await run(server, input);
        } finally {
          free.push(server);
        }
      },
      stop: () => servers.forEach((server) => server.stop()),
    };
  },
};

const CALLS = {
  listTools: (client) => client.listTools(),
  callTool: (client) => client.callTool({ name: 'echo', arguments: { a: 1 } }, { onprogress: () => {} }),
  listResources: (client) => client.listResources(),
  listResourceTemplates: (client) => client.listResourceTemplates(),
  readResource: (client) => client.readResource({ uri: 'note://one' }),
  listPrompts: (client) => client.listPrompts(),
  getPrompt: (client) => client.getPrompt({ name: 'greet', arguments: { name: 'x' } }),
  complete: (client) =>
    client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'a' } }),
  ping: (client) => client.ping(),
};

const NOISE = [
  { jsonrpc: '2.0', id: 'q1', method: 'ping' },
  { jsonrpc: '2.0', id: 'q2', method: 'roots/list' },
  {
    jsonrpc: '2.0',
    id: 'q3',
    method: 'elicitation/create',
    params: { message: 'Go on?', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } },
  },
  {
    jsonrpc: '2.0',
    id: 'q4',
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 10 },
  },
  { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: '{{token}}', progress: 1, total: 2 } },
  { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } },
  { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '{{id}}' } },
  { jsonrpc: '2.0', method: 'notifications/tasks', params: { taskId: 't1', status: 'completed' } },
  { jsonrpc: '2.0', id: '{{id}}', error: { code: -32000, message: 'no' } },
];

function generate(random) {
  const transport = random.pick(['http', 'http', 'http', 'http', 'http', 'sse', 'sse', 'stdio']);
  const revision =
    transport === 'sse' ? random.pick(HANDSHAKES) : random.chance(0.5) ? NEWEST : random.pick(HANDSHAKES);
  const methods = random.list(1, 4, () => random.pick([...Object.keys(GOOD), '*']));
  const answers = Object.fromEntries(methods.map((method) => [method, answer(random, method, revision)]));
  const noisy = () =>
    hostileJson(random, random.chance(0.5) ? mutated(random, random.pick(NOISE)) : random.pick(NOISE));
  return {
    transport,
    revision,
    script: {
      revision,
      answers,
      ...(random.chance(0.3) && { noise: random.list(1, 4, noisy) }),
      ...(random.chance(0.2) && { standing: random.list(0, 5, noisy) }),
      ...(random.chance(0.05) && {
        endpoint: `event: endpoint\ndata: ${random.pick(['http://evil.example/x', '//', '', hostileString(random).replaceAll(/[\r\n]/g, ' ')])}\n\n`,
      }),
      ...(random.chance(0.05) && { accepted: random.pick([200, 204, 400, 404, 500]) }),
    },
    calls: random.shuffled(Object.keys(CALLS)).slice(0, random.int(1, 5)),
  };
}

function answer(random, method, revision) {
  const good = goodAnswer(method, revision, random.int(0, (GOOD[method]?.length ?? 1) - 1));
  const kind = random.int(0, 9);
  const bad =
    kind <= 6
      ? mutated(random, good)
      : kind === 7
        ? hostileValue(random)
        : kind === 8
          ? { ...good, result: undefined, error: mutated(random, { code: -32602, message: 'x', data: {} }) }
          : good;
  return {
    frames: random.list(1, random.chance(0.2) ? 3 : 1, () => hostileJson(random, bad)),
    as: random.chance(0.4) ? 'sse' : 'json',
    ...(random.chance(0.15) && {
      status: random.pick([200, 201, 202, 204, 301, 400, 401, 403, 404, 405, 429, 500, 503]),
    }),
    ...(random.chance(0.15) && {
      headers: random.pick([
        { 'content-type': 'text/html' },
        { 'content-type': '' },
        { 'retry-after': '99999' },
        { 'mcp-session-id': '\u00e9'.repeat(10) },
        { 'content-encoding': 'gzip' },
        { location: 'http://127.0.0.1:1/' },
        { 'www-authenticate': 'Bearer resource_metadata="http://169.254.169.254/"' },
      ]),
    }),
    ...(random.chance(0.3) && { cut: cuts(random, 300) }),
    ...(random.chance(0.06) && { ending: random.pick(['silence', 'hang', 'reset']) }),
  };
}

async function run(server, { transport, revision, script, calls, isInOrder, timeouts = TIMEOUTS }) {
  server.reset(script);
  let problems = 0;
  const client = new Client(
    { name: 'victim', version: '1.0.0' },
    {
      revisions: [revision],
      timeouts,
      verdicts: createVerdictMemory(),
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } },
      onproblem: () => void (problems += 1),
      onlog: () => {},
    },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'x' },
  }));
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  const faults = [];
  const cpu = cpuMs();
  const outcomes = [await outcomeOf(connect(client, { server, transport, script }), 'connect', faults)];
  const call = (name) => outcomeOf(CALLS[name](client), name, faults);
  if (outcomes[0] === 'ok' && isInOrder) for (const name of calls) outcomes.push(await call(name));
  else if (outcomes[0] === 'ok') outcomes.push(...(await Promise.all(calls.map(call))));
  await outcomeOf(client.close(), 'close', faults);
  if (cpuMs() - cpu > MOST_CPU_MS)
    faults.push(fault('slow', `${Math.round(cpuMs() - cpu)} ms of processor time, ${MOST_CPU_MS} are allowed`));
  if (server.mostSockets > MOST_SOCKETS)
    faults.push(fault('broken-rule', `${server.mostSockets} connections at once, ${MOST_SOCKETS} are allowed`));
  if (server.requests > MOST_REQUESTS)
    faults.push(fault('broken-rule', `${server.requests} requests, ${MOST_REQUESTS} are allowed`));
  if (problems > MOST_PROBLEMS)
    faults.push(fault('broken-rule', `${problems} problems were reported, ${MOST_PROBLEMS} are allowed`));
  server.reset({});
  return verdict(`${transport} ${outcomes.join(' ')}`, faults, { calls: outcomes.length });
}

function connect(client, { server, transport, script }) {
  if (transport === 'http')
    return client.connect({
      url: `${server.url}/mcp`,
      transport: 'streamable',
      reconnectionOptions: { initialReconnectionDelay: 20, maxRetries: 2 },
    });
  if (transport === 'sse') return client.connect({ url: `${server.url}/sse`, transport: 'sse' });
  const path = scriptOf(server.lane);
  writeFileSync(path, JSON.stringify(script));
  return client.connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, path], stderr: 'ignore' }),
  );
}

/** Error classes that show a fault in the program, not in the server. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError];

async function outcomeOf(promise, name, faults) {
  const settled = await within(
    Promise.resolve(promise).then(
      () => 'ok',
      (error) => error,
    ),
    SETTLE_MS,
    'late',
  );
  if (settled === 'late') faults.push(fault('hang', `${name} did not settle in ${SETTLE_MS} ms`));
  if (typeof settled === 'string') return settled;
  if (!(settled instanceof Error) || MISTAKES.some((kind) => settled instanceof kind && settled.constructor === kind))
    faults.push(
      fault(
        'broken-rule',
        `${name} failed with ${settled?.stack?.split('\n').slice(0, 4).join(' ') ?? String(settled)}`,
      ),
    );
  return settled.code ?? settled.name;
}
