/** Valid messages of every revision, as a client of `subjects/server.mjs` sends them. Invalid input is made from these. */
export const HANDSHAKES = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
export const NEWEST = '2026-07-28';
export const REVISIONS = [NEWEST, ...HANDSHAKES];

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** The `_meta` of a request in the newest revision. */
export const envelope = (more = {}) => ({
  'io.modelcontextprotocol/protocolVersion': NEWEST,
  'io.modelcontextprotocol/clientCapabilities': { ...CAPABILITIES, ...TASKS },
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  ...more,
});

export const initialize = (revision, capabilities = CAPABILITIES) => ({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: revision, capabilities, clientInfo: { name: 'fuzz', version: '1' } },
});

export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

function toolCall(random, mark) {
  const name = random.pick([
    'echo',
    'mark',
    'log',
    'count',
    'throws',
    'shaped',
    'once',
    'ask',
    'refund',
    'sample',
    'roots',
    'job',
    'asking-job',
    'hold',
  ]);
  const given = {
    echo: { value: { [mark]: [1, mark] } },
    mark: { tag: mark },
    log: { data: { mark, password: 'x' } },
    count: { to: 3, tag: mark },
    shaped: { region: 'north-west', size: 3, list: [1] },
    refund: { order: mark, tag: mark },
    roots: {},
  };
  return { name, arguments: given[name] ?? { tag: mark } };
}

const answer = { action: 'accept', content: { ok: true } };

/** Method and params of a client's request; `{{…}}` is filled in with values received before. */
const REQUESTS = [
  (random, mark) => ['tools/call', toolCall(random, mark)],
  (random, mark) => ['tools/call', { ...toolCall(random, mark), _meta: { progressToken: random.pick([mark, 7, 0]) } }],
  (random, mark) => [
    'tools/call',
    { name: 'once', arguments: { tag: mark }, _meta: { 'dev.crosspoint/idempotencyKey': random.pick(['k', mark]) } },
  ],
  (random, mark) => ['tools/call', { name: 'job', arguments: { tag: mark }, task: { ttl: 500 } }],
  (random, mark) => [
    'tools/call',
    {
      name: random.pick(['ask', 'refund']),
      arguments: { tag: mark, order: mark },
      requestState: '{{state}}',
      inputResponses: { '{{ask}}': answer },
    },
  ],
  (random) => ['tools/list', random.chance(0.3) ? { cursor: '{{cursor}}' } : {}],
  () => ['ping', {}],
  () => ['server/discover', {}],
  () => ['resources/list', {}],
  () => ['resources/templates/list', {}],
  (random, mark) => [
    'resources/read',
    { uri: random.pick(['note://one', `note://by/${mark}`, `note://by/a?q=${mark}`]) },
  ],
  (random) => ['resources/subscribe', { uri: random.pick(['note://one', 'note://by/ada']) }],
  () => ['resources/unsubscribe', { uri: 'note://one' }],
  () => ['prompts/list', {}],
  (_random, mark) => ['prompts/get', { name: 'greet', arguments: { name: mark } }],
  (_random, mark) => [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: mark } },
  ],
  () => [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'note://by/{name}{?q*}' }, argument: { name: 'name', value: 'a' } },
  ],
  (random) => ['logging/setLevel', { level: random.pick(['debug', 'info', 'emergency']) }],
  (random) => [random.pick(['tasks/get', 'tasks/result', 'tasks/cancel']), { taskId: '{{task}}' }],
  () => ['tasks/list', {}],
  () => ['tasks/update', { taskId: '{{task}}', inputResponses: { '{{ask}}': answer } }],
  (random) => [
    'subscriptions/listen',
    {
      notifications: random.pick([
        { toolsListChanged: true },
        { resourceSubscriptions: ['note://one'] },
        { taskIds: ['{{task}}'] },
      ]),
    },
  ],
  (_random, mark) => [`example/${mark}`, {}],
];

const NOTIFICATIONS = [
  (random) => ['notifications/cancelled', { requestId: random.pick(['init', 1, 2, 3, '{{id}}']), reason: 'x' }],
  (_random, mark) => ['notifications/progress', { progressToken: mark, progress: 1 }],
  () => ['notifications/initialized', {}],
  () => ['notifications/roots/list_changed', {}],
];

/** An answer to a question that the server may have asked. */
const ANSWERS = [
  (random) => ({ jsonrpc: '2.0', id: random.pick([0, 1, 2, '{{asked}}']), result: answer }),
  (random) => ({
    jsonrpc: '2.0',
    id: random.pick([0, 1, '{{asked}}']),
    result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } },
  }),
  (random) => ({ jsonrpc: '2.0', id: random.pick([0, 1, '{{asked}}']), error: { code: -1, message: 'no' } }),
];

/** A valid message, unless its `{{…}}` were never received. */
export function goodMessage(random, revision, { mark, id }) {
  if (random.chance(0.08)) return random.pick(ANSWERS)(random);
  const isNotification = random.chance(0.12);
  const [method, params] = random.pick(isNotification ? NOTIFICATIONS : REQUESTS)(random, mark);
  const whole = revision === NEWEST ? { ...params, _meta: envelope(params['_meta']) } : params;
  return { jsonrpc: '2.0', ...(!isNotification && { id }), method, params: whole };
}
