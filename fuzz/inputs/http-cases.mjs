/**
 * Cases for a server over HTTP. A case is a room and some clients, which act at the same time; a client is a list of steps, one after the other.
 *
 * A step: `{ on, request | raw, cut, wait, ending }`. `on` is the number of the client's connection, `request` a method, path, headers and body, `raw` bytes as
 * they are. `cut` says where they are split into writes. `wait: false` sends the next step at once (pipelining, when it is on the same connection). `ending` is
 * what becomes of the connection: nothing, `close`, `reset` or `half-close`. `times` repeats the step. A client with `after` begins when
 * that other one is done, one with `from` comes from that address, and one with `endsWithinMs` expects its streams to be ended.
 */
import { hostileString } from './hostile-values.mjs';
import { INITIALIZED, NEWEST, REVISIONS, envelope, goodMessage, initialize } from './messages.mjs';
import { changedText, cuts, hostileJson, mutated } from './mutate.mjs';

const JSON_TYPE = ['content-type', 'application/json'];
const BOTH = ['accept', 'application/json, text/event-stream'];
const ROOM_WEIGHTS = [
  'open',
  'open',
  'open',
  'guarded',
  'guarded',
  'principal',
  'sessionless',
  'json',
  'factory',
  'hand-wired',
  'careless',
  'throwing',
  'rejecting',
  'tight',
];

export function httpCase(random, number) {
  const room = random.pick(ROOM_WEIGHTS);
  const clients = random.list(1, 3, (index) =>
    client(random, { room, index, mark: `mark-${number.toString(36)}-${index}` }),
  );
  return { room, clients };
}

/** The facts that a client of the room sends with every request. */
const ownHeaders = ({ mark }) => [['authorization', `Bearer ${mark}`]];

function client(random, who) {
  const kind = random.int(0, 9);
  const revision = kind <= 3 ? NEWEST : random.pick(REVISIONS.slice(1));
  const make = kind <= 3 ? stateless : kind <= 7 ? session : kind === 8 ? pair : crowd;
  const steps = make(random, { ...who, revision });
  return { mark: who.mark, steps: random.chance(0.7) ? disturbed(random, steps) : steps };
}

const post = (headers, body) => ({ method: 'POST', path: '/mcp', headers: [JSON_TYPE, BOTH, ...headers], body });

/** Valid or invalid text of one message, or of several in a batch. */
function bodyOf(random, message) {
  if (random.chance(0.1))
    return hostileJson(
      random,
      random.list(0, 4, () => (random.chance(0.5) ? message : mutated(random, message))),
    );
  return hostileJson(random, random.chance(0.5) ? mutated(random, message) : message);
}

function stateless(random, who) {
  return random.list(1, 6, (id) => {
    const message = goodMessage(random, NEWEST, { ...who, id });
    const name = message.params?.name ?? message.params?.uri ?? message.params?.taskId;
    const headers = [
      ['mcp-protocol-version', NEWEST],
      ['mcp-method', message.method ?? ''],
      ...(typeof name === 'string' ? [['mcp-name', name]] : []),
      ...ownHeaders(who),
    ];
    return step(random, post(headers, bodyOf(random, message)));
  });
}

function session(random, who) {
  const { revision } = who;
  const headers = () => [
    ['mcp-session-id', sessionName(random, who)],
    ...(random.chance(0.9) ? [['mcp-protocol-version', revision]] : []),
    ...ownHeaders(who),
  ];
  const more = random.list(1, 6, (id) => {
    const kind = random.int(0, 9);
    if (kind === 0) return step(random, { method: 'DELETE', path: '/mcp', headers: headers() });
    if (kind === 1)
      return step(random, { method: 'GET', path: '/mcp', headers: [['accept', 'text/event-stream'], ...headers()] });
    if (kind === 2)
      return step(random, {
        method: 'GET',
        path: '/mcp',
        headers: [['accept', 'text/event-stream'], ['last-event-id', eventName(random, who)], ...headers()],
      });
    return step(random, post(headers(), bodyOf(random, goodMessage(random, revision, { ...who, id }))));
  });
  return [
    { on: 0, request: post(ownHeaders(who), JSON.stringify(initialize(revision))) },
    { on: 0, request: post(headers(), JSON.stringify(INITIALIZED)) },
    ...more,
  ];
}

/** The client's own session, and where callers are told apart, that of another. */
const sessionName = (random, { index }) =>
  random.chance(0.12)
    ? `{{${(index + 1) % 2}.session}}`
    : random.chance(0.04)
      ? hostileString(random)
      : `{{${index}.session}}`;
const eventName = (random, { index }) =>
  random.chance(0.15)
    ? hostileString(random)
    : random.chance(0.2)
      ? `{{${(index + 1) % 2}.event}}`
      : `{{${index}.event}}`;

/** The older transport with two endpoints. */
function pair(random, who) {
  const messages = random.list(1, 5, (id) => {
    const message = id === 0 ? initialize('2024-11-05') : goodMessage(random, '2024-11-05', { ...who, id });
    const path = random.chance(0.9) ? `{{${who.index}.endpoint}}` : changedText(random, '/messages?sessionId=x');
    return { on: 1, request: { ...post(ownHeaders(who), bodyOf(random, message)), path } };
  });
  return [
    { on: 0, request: { method: 'GET', path: '/sse', headers: [['accept', 'text/event-stream'], ...ownHeaders(who)] } },
    ...messages,
  ];
}

/** Many requests on one connection without waiting, streams among them, which is then closed. */
function crowd(random, who) {
  const listen = {
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: envelope() },
  };
  const requests = [
    { method: 'GET', path: '/sse', headers: [['accept', 'text/event-stream'], ...ownHeaders(who)] },
    post(
      [['mcp-protocol-version', NEWEST], ['mcp-method', 'subscriptions/listen'], ...ownHeaders(who)],
      JSON.stringify(listen),
    ),
    post(ownHeaders(who), JSON.stringify(initialize('2025-11-25'))),
  ];
  const steps = random.list(2, 12, () => ({ on: 0, request: random.pick(requests), wait: false }));
  return [...steps, { on: 0, raw: '', ending: random.pick(['close', 'reset', 'half-close']) }];
}

function step(random, request) {
  const changed = random.chance(0.3) ? oddRequest(random, request) : request;
  return {
    on: random.chance(0.8) ? 0 : 1,
    request: changed,
    ...(random.chance(0.25) && { cut: cuts(random, 400) }),
    ...(random.chance(0.15) && { wait: false }),
    ...(random.chance(0.06) && { ending: random.pick(['close', 'reset', 'half-close']) }),
  };
}

const ODD_HEADERS = [
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-type', ''],
  ['content-encoding', 'gzip'],
  ['transfer-encoding', 'chunked, chunked'],
  ['content-length', '0'],
  ['content-length', '99999999999'],
  ['content-length', '-1'],
  ['expect', '100-continue'],
  ['expect', 'tea'],
  ['upgrade', 'websocket'],
  ['connection', 'upgrade'],
  ['connection', 'close'],
  ['host', 'evil.example'],
  ['host', ''],
  ['origin', 'https://evil.example'],
  ['origin', 'null'],
  ['accept', 'text/html'],
  ['accept', '*/*;q=0'],
  ['accept', 'application/json;q=0.1, text/event-stream;q=' + '9'.repeat(300)],
  ['mcp-protocol-version', '1999-01-01'],
  ['mcp-protocol-version', '__proto__'],
  ['mcp-method', 'constructor'],
  ['mcp-name', '=?base64?/w==?='],
  ['mcp-param-region', '=?base64?bm9ydGg=?='],
  ['mcp-param-size', '1e3'],
  ['authorization', 'Bearer'],
  ['authorization', 'Basic \u00ff'],
  ['last-event-id', '__proto__'],
  ['x-give', 'empty'],
  ['x-give', 'denied'],
  ['cookie', 'a=b; '.repeat(400)],
];
const PATHS = [
  '//',
  '/',
  '*',
  '/mcp/',
  '/mcp?x=1',
  '/mcp#x',
  '/MCP',
  '/%',
  '/%00',
  '/../mcp',
  'http://evil.example/mcp',
  '//evil.example/mcp',
  '/health',
  '/sse',
  '/messages',
  '/messages?sessionId=',
  '/messages?sessionId=__proto__',
  '?',
  '',
];
const METHODS = ['GET', 'PUT', 'HEAD', 'OPTIONS', 'PATCH', 'DELETE', 'TRACE', 'CONNECT', 'post', 'PRI', 'QUERY'];

function oddRequest(random, request) {
  const kind = random.int(0, 6);
  if (kind === 0) return { ...request, path: random.pick(PATHS) };
  if (kind === 1) return { ...request, method: random.pick(METHODS) };
  if (kind <= 3) {
    const added = random.pick(ODD_HEADERS);
    const others = random.chance(0.6) ? request.headers.filter(([name]) => name !== added[0]) : request.headers;
    return { ...request, headers: [...others, added] };
  }
  if (kind === 4) return { ...request, headers: random.shuffled(request.headers).slice(random.int(0, 2)) };
  if (kind === 5) return { ...request, chunked: true };
  return {
    ...request,
    headers: request.headers.map(([name, value]) => [
      name,
      random.chance(0.3) ? headerText(changedText(random, value)) : value,
    ]),
  };
}

/** Without line breaks: they would end the header and begin another request; `raw` is for that. */
const headerText = (text) => text.replaceAll(/[\r\n\0]/g, '').slice(0, 2000);

/** Steps left out, twice, in another order, or with bytes in between that are no HTTP. */
function disturbed(random, steps) {
  const kind = random.int(0, 7);
  if (kind === 0) return random.shuffled(steps);
  if (kind === 1) return steps.flatMap((each) => (random.chance(0.2) ? [each, each] : [each]));
  if (kind === 2) return steps.filter(() => random.chance(0.8));
  if (kind === 3)
    return [
      ...steps,
      {
        on: 2,
        raw: random.pick([
          'GET // HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
          'GET /mcp HTTP/1.1\r\n\r\n',
          '\0\0\0\0\r\n\r\n',
          'POST /mcp HTTP/1.0\r\n\r\n',
          'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
          '\r\n\r\n\r\n',
        ]),
      },
    ];
  if (kind === 4)
    return [
      ...steps,
      {
        on: 2,
        raw: 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"json',
        wait: false,
        ending: random.pick(['close', 'reset', 'half-close', undefined]),
      },
    ];
  return steps;
}

/** Varies a case that was worth keeping. */
export function variedHttpCase(random, input) {
  const clients = input.clients.map((each) => {
    const steps = each.steps.map((one) => {
      if (!random.chance(0.3) || one.request === undefined) return one;
      if (typeof one.request.body === 'string' && random.chance(0.5))
        return { ...one, request: { ...one.request, body: rewritten(random, one.request.body) } };
      return { ...one, request: oddRequest(random, one.request) };
    });
    return { ...each, steps: disturbed(random, steps) };
  });
  return { ...input, clients };
}

function rewritten(random, body) {
  try {
    return hostileJson(random, mutated(random, JSON.parse(body)));
  } catch {
    return changedText(random, body);
  }
}
