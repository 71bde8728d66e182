// The set-ups of an HTTP server that are fuzzed. Each has its own address and its own rules for valid answers.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { StreamableHTTPServerTransport, createMcpHandler } from 'crosspoint/server';
import { createFuzzedServer } from './server.mjs';

/** Short lifetimes, so that abandoned state is gone within the run. */
const OPTIONS = {
  path: '/mcp',
  healthPath: '/health',
  bodyTimeoutMs: 300,
  streamAfterMs: 50,
  keepAliveMs: 200,
  maxListens: 300,
  legacySse: { max: 300 },
  sessions: { idleMs: 1500, resumeMs: 1000, max: 5000 },
};

/** Gives the caller a token that expired 29 seconds ago: clocks may be 30 s apart, so it is valid for one more second. */
const expiring = (request) => {
  const found = authenticate(request);
  return found && { ...found, expiresAt: Math.floor(Date.now() / 1000) - 29 };
};

const callerIn = (request) => /^Bearer (mark-[a-z0-9-]+)$/.exec(request.header('authorization') ?? '')?.[1];

/** Identifies the caller by the token alone. */
function authenticate(request) {
  const name = callerIn(request);
  return name === undefined ? undefined : { token: name, clientId: 'shared', scopes: [], extra: { sub: name } };
}

/** Values that name no caller. */
const NO_CALLERS = {
  false: false,
  zero: 0,
  null: null,
  text: '',
  empty: {},
  list: [],
  denied: { authenticated: false },
};

const TIGHT = { limits: { 'tools/call': { perSecond: 0.001, burst: 3 } } };

/**
 * `isGuarded`: callers are told apart by their tokens, and nothing of one may reach another. `isFailing`: the program itself fails, so 500 is right.
 * `mayServe`: false where nothing must be served at all.
 */
const ROOMS = {
  open: { make: () => [createFuzzedServer(), OPTIONS] },
  json: { make: () => [createFuzzedServer(), { ...OPTIONS, jsonOnly: true }] },
  sessionless: { make: () => [createFuzzedServer(), { ...OPTIONS, sessions: false, legacySse: false }] },
  guarded: { isGuarded: true, make: () => [createFuzzedServer(), { ...OPTIONS, authenticate }] },
  principal: {
    isGuarded: true,
    make: () => [
      createFuzzedServer(),
      {
        ...OPTIONS,
        authenticate: (request) => callerIn(request) && { token: 'one', clientId: 'shared', scopes: [] },
        principal: (_authInfo, request) => callerIn(request),
      },
    ],
  },
  expiring: {
    isGuarded: true,
    isBrief: true,
    make: () => [createFuzzedServer(), { ...OPTIONS, authenticate: expiring }],
  },
  factory: { make: () => [() => createFuzzedServer(), { ...OPTIONS, authenticate }], isGuarded: true },
  throwing: {
    isFailing: true,
    make: () => [
      () => {
        throw new Error('no server today');
      },
      OPTIONS,
    ],
  },
  rejecting: { isFailing: true, make: () => [() => Promise.reject(new Error('no server today')), OPTIONS] },
  careless: {
    mayServe: false,
    make: () => [
      createFuzzedServer(),
      { ...OPTIONS, authenticate: (request) => NO_CALLERS[request.header('x-give') ?? 'false'] },
    ],
  },
  'tight-factory': { make: () => [() => createFuzzedServer(TIGHT), OPTIONS] },
  tight: {
    make: () => [createFuzzedServer(TIGHT), { ...OPTIONS, sessions: { ...OPTIONS.sessions, max: 8 } }],
  },
};

/** Opens the set-ups at 127.0.0.1; `problems` counts the reported problems. */
export async function openRooms() {
  const rooms = {};
  for (const [name, { make, ...rules }] of Object.entries(ROOMS)) {
    const [server, options] = make();
    const room = { name, ...rules, problems: 0, handler: createMcpHandler(server, options) };
    if (typeof server !== 'function') server.server.onerror = () => (room.problems += 1);
    room.serve = (request, response) => void room.handler.node(request, response);
    rooms[name] = room;
  }
  rooms['hand-wired'] = handWired();
  for (const room of Object.values(rooms)) Object.assign(room, await listen(room.serve));
  return rooms;
}

/** As programs for the official SDK do it: one transport for each session, found by its id. */
function handWired() {
  const open = new Map();
  const serve = async (request, response) => {
    const caller = /^Bearer (mark-[a-z0-9-]+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (caller === undefined) return void response.writeHead(401).end();
    request.auth = { token: caller, clientId: 'shared', scopes: [], extra: { sub: caller } };
    const known = open.get(request.headers['mcp-session-id']);
    if (known) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      keepAliveMs: 200,
      onsessioninitialized: (id) => {
        open.set(id, transport);
        setTimeout(() => void transport.close(), 1500).unref();
      },
    });
    transport.onclose = () => open.delete(transport.sessionId);
    await createFuzzedServer().connect(transport);
    await transport.handleRequest(request, response);
  };
  const handler = {
    health: { streams: 0, sessions: 0, working: 0 },
    close: () => [...open.values()].forEach((each) => void each.close()),
  };
  return {
    name: 'hand-wired',
    isGuarded: true,
    isOneRevision: true,
    problems: 0,
    handler,
    serve: (request, response) => void serve(request, response),
  };
}

async function listen(serve) {
  const http = createServer(
    { connectionsCheckingInterval: 250, headersTimeout: 700, requestTimeout: 1500, keepAliveTimeout: 2000 },
    serve,
  );
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { http, port: http.address().port };
}

export async function closeRooms(rooms) {
  for (const { http, handler } of Object.values(rooms)) {
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    http.close();
  }
}
