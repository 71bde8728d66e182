/** The client's login: hostile metadata, challenges and token answers, and strangers at the redirect address. */
import { createServer } from 'node:http';
import { StoredProvider } from 'crosspoint/auth';
import { LoopbackAgent } from 'crosspoint/auth/node';
import { Client, StreamableHTTPClientTransport } from 'crosspoint/client';
import { fault, verdict, within } from '../engine/verdict.mjs';
import { hostileString, hostileValue } from '../inputs/hostile-values.mjs';
import { changedText, hostileJson, mutated } from '../inputs/mutate.mjs';
import { textOf } from '../inputs/text.mjs';
import { RawConnection } from '../wires/raw-connection.mjs';

const LANES = 8;
const SETTLE_MS = 10_000;
const MOST_REQUESTS = 60;
const BACK = 'http://127.0.0.1:9/callback';

export const target = {
  name: 'login',
  about: 'logging in at a hostile server',
  patienceMs: 30_000,
  lanes: LANES,
  async start() {
    const servers = await Promise.all(Array.from({ length: LANES }, () => new HostileAuthority().start()));
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

const RESOURCE_PATH = '/.well-known/oauth-protected-resource/mcp';
const SERVER_PATH = '/.well-known/oauth-authorization-server';

/** The answers of a well-behaved server; `{{url}}` is its own address. */
const GOOD = {
  [RESOURCE_PATH]: { resource: '{{url}}/mcp', authorization_servers: ['{{url}}'], scopes_supported: ['read'] },
  [SERVER_PATH]: {
    issuer: '{{url}}',
    authorization_endpoint: '{{url}}/authorize',
    token_endpoint: '{{url}}/token',
    registration_endpoint: '{{url}}/register',
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  },
  '/register': { client_id: 'c', redirect_uris: [BACK], token_endpoint_auth_method: 'none' },
  '/token': { access_token: 'good', token_type: 'Bearer', expires_in: 3600, refresh_token: 'r', scope: 'read' },
};
const PLACES = [
  'http://169.254.169.254/latest',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://[::1]:1/',
  '{{url}}/elsewhere',
  'https://{{host}}@evil.example/',
  '//evil.example',
  '',
  'ftp://x',
  'http://127.0.0.1:1/',
];

function generate(random) {
  const answers = {};
  for (const [path, good] of Object.entries(GOOD)) {
    const kind = random.int(0, 5);
    if (kind <= 1) continue;
    if (kind === 2) {
      const names = Object.keys(good);
      answers[path] = {
        body: JSON.stringify({
          ...good,
          [random.pick(names)]: random.chance(0.6) ? random.pick(PLACES) : hostileValue(random, 1),
        }),
      };
    } else answers[path] = { body: hostileJson(random, mutated(random, good)) };
    if (random.chance(0.15)) answers[path].status = random.pick([200, 204, 301, 302, 307, 400, 401, 404, 500]);
    if (random.chance(0.15))
      answers[path].headers = random.pick([
        { location: 'http://169.254.169.254/' },
        { location: '{{url}}/token' },
        { 'content-type': 'text/html' },
        { 'dpop-nonce': 'x' },
        { 'content-encoding': 'gzip' },
      ]);
  }
  const challenge = `Bearer resource_metadata="${random.chance(0.7) ? `{{url}}${RESOURCE_PATH}` : random.pick(PLACES)}", scope="read"`;
  return {
    answers,
    challenge: random.chance(0.6)
      ? challenge
      : changedText(random, challenge)
          .replaceAll(/[^\x20-\x7e]/g, '')
          .slice(0, 2000),
    callback: random.chance(0.7)
      ? {}
      : { [random.pick(['code', 'state', 'iss', 'error'])]: hostileString(random).slice(0, 200) },
    knocks: random.chance(0.3) ? random.list(1, 3, () => knock(random)) : [],
  };
}

const knock = (random) =>
  `${random.pick(['GET', 'POST', 'HEAD', 'OPTIONS'])} ${random.pick(['/callback', '//', '/callback?code=x&state=y', '/', '*', 'http://x/callback', '/callback?%', '/%', '/callback?state', '//callback', '///'])} HTTP/1.1\r\n${random.pick(['Host: 127.0.0.1:{{port}}\r\n', 'Host: evil.example\r\n', 'Host: \r\n', 'Host: a\r\nHost: b\r\n'])}\r\n`;

async function run(server, { answers = {}, challenge, callback = {}, knocks = [] }) {
  server.begin({ answers, challenge, callback });
  const faults = [];
  if (knocks.length > 0) faults.push(...(await knockAll(knocks)));
  const agent = {
    begin: () => Promise.resolve(BACK),
    visit: (page) => server.visit(page),
    end: () => Promise.resolve(),
  };
  const authProvider = new StoredProvider({ serverUrl: `${server.url}/mcp`, clientName: 'Fuzz', userAgent: agent });
  const client = new Client(
    { name: 'fuzz', version: '1.0.0' },
    { timeouts: { connectMs: 3000, probeMs: 500, idleMs: 1000, totalMs: 3000 } },
  );
  const work = client.connect(
    new StreamableHTTPClientTransport(`${server.url}/mcp`, { authProvider, outbound: { timeoutMs: 500 } }),
  );
  const settled = await within(
    work.then(
      () => 'ok',
      (error) => error,
    ),
    SETTLE_MS,
    'late',
  );
  if (settled === 'late') faults.push(fault('hang', `the login did not settle in ${SETTLE_MS} ms`));
  if (
    typeof settled !== 'string' &&
    (!(settled instanceof Error) || [TypeError, RangeError, ReferenceError, SyntaxError].includes(settled.constructor))
  )
    faults.push(fault('broken-rule', `the login failed with ${settled?.stack?.split('\n').slice(0, 4).join(' ')}`));
  if (server.requests > MOST_REQUESTS)
    faults.push(fault('broken-rule', `${server.requests} requests for one login, ${MOST_REQUESTS} are allowed`));
  await within(client.close(), SETTLE_MS, undefined);
  return verdict(
    typeof settled === 'string' ? settled : `${settled.name} ${settled.fault ?? settled.code ?? ''}`,
    faults,
    { requests: server.requests },
  );
}

/** Strangers at the loopback address where a login waits for its answer. */
async function knockAll(knocks) {
  const agent = new LoopbackAgent({ open: () => {}, say: () => {}, paste: false, timeoutMs: 200 });
  const port = Number(new URL(await agent.begin([])).port);
  const login = agent.visit(new URL('https://as.example/authorize?state=the-state')).catch(() => undefined);
  const faults = [];
  for (const text of knocks) {
    const connection = new RawConnection(port);
    connection.write(Buffer.from(textOf(text, { port: String(port) }), 'latin1'));
    if (!(await connection.answered(0, { headMs: 3000, wholeMs: 50 })))
      faults.push(fault('hang', `no answer to ${JSON.stringify(text).slice(0, 100)}`));
    const [answer] = connection.answers;
    if (answer?.status >= 500)
      faults.push(fault('server-error', `status ${answer.status} for ${JSON.stringify(text).slice(0, 100)}`));
    connection.destroy();
  }
  if (await login) faults.push(fault('broken-rule', 'a stranger ended the login'));
  await within(agent.end(), 3000, undefined);
  return faults;
}

class HostileAuthority {
  requests = 0;
  #case = {};
  #http;

  async start() {
    this.#http = createServer((request, response) => this.#serve(request, response));
    await new Promise((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.#http.address().port}`;
    return this;
  }

  begin(given) {
    this.#case = given;
    this.requests = 0;
  }

  stop() {
    this.#http.closeAllConnections();
    this.#http.close();
  }

  /** A user who approves at once. */
  visit(page) {
    const params = { code: 'x', state: page.searchParams.get('state') ?? '', iss: this.url, ...this.#case.callback };
    return Promise.resolve(new URLSearchParams(params));
  }

  #fill(text) {
    return textOf(text).replaceAll('{{url}}', this.url).replaceAll('{{host}}', new URL(this.url).host);
  }

  #serve(request, response) {
    this.requests += 1;
    request.resume();
    const path = (request.url ?? '').split('?')[0];
    const { answers, challenge } = this.#case;
    if (path === '/mcp')
      return void response.writeHead(401, { 'www-authenticate': this.#fill(challenge ?? 'Bearer') }).end();
    const said = answers?.[path] ?? (GOOD[path] && { body: JSON.stringify(GOOD[path]) });
    if (said === undefined) return void response.writeHead(404).end();
    const headers = Object.fromEntries(
      Object.entries(said.headers ?? {}).map(([name, value]) => [name, this.#fill(value)]),
    );
    response.writeHead(said.status ?? (path === '/register' ? 201 : 200), {
      'content-type': 'application/json',
      ...headers,
    });
    response.end(this.#fill(said.body));
  }
}
