/**
 * Cases for authorization servers. A case is a room, documents that addresses give, and steps `{ method, path, query, headers, form, json, body }`: of `form` and
 * `query` a list of pairs, so that names may come twice.
 */
import { CALLBACK, CHALLENGE, HUB, ISSUER, PASSWORD, RESOURCE, VERIFIER } from '../subjects/authorities.mjs';
import { hostileString, hostileValue } from './hostile-values.mjs';
import { changedText, hostileJson, mutated } from './mutate.mjs';

const DOCUMENT = 'https://app.example.com/client.json';
const KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  kid: 'k',
};

const METADATA = {
  redirect_uris: [CALLBACK],
  client_name: 'App',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: 'read write',
};

const REDIRECTS = [
  CALLBACK,
  'https://app.example.com/cb',
  'http://127.0.0.1/cb',
  'http://127.0.0.1:5000/cb',
  'http://localhost/cb',
  'app.example:/cb',
  'https://evil.example/cb',
  'javascript:alert(1)',
  'https://client.example.com/callback#x',
  'https://client.example.com@evil.example/',
  '//evil.example',
  'https://client.example.com/callback/../x',
  '',
  'data:text/html,x',
];
const METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'];
const GRANTS = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'password',
  'implicit',
  '__proto__',
];

function metadata(random, who) {
  const good = {
    ...METADATA,
    redirect_uris: [who.redirect],
    token_endpoint_auth_method: random.chance(0.9) ? who.auth : random.pick(METHODS),
    ...(random.chance(0.4) && {
      grant_types: [
        ...new Set(random.list(1, 3, () => random.pick(random.chance(0.95) ? GRANTS.slice(0, 3) : GRANTS))),
      ],
    }),
    ...(random.chance(0.1) && { redirect_uris: random.list(0, 3, () => random.pick(REDIRECTS)) }),
    ...(random.chance(0.06) && { jwks: { keys: [random.chance(0.5) ? KEY : mutated(random, KEY)] } }),
    ...(random.chance(0.05) && { jwks_uri: random.pick([DOCUMENT, 'http://169.254.169.254/', 'file:///x']) }),
    ...(random.chance(0.1) && { scope: random.pick(['admin', 'read write admin', '', ' ', 'read\u00a0admin']) }),
  };
  return random.chance(0.12) ? mutated(random, good) : good;
}

const authorizeQuery = (random, who) => [
  ['response_type', 'code'],
  ['client_id', clientId(random, who)],
  ['redirect_uri', random.chance(0.9) ? who.redirect : random.pick(REDIRECTS)],
  ['code_challenge', CHALLENGE],
  ['code_challenge_method', 'S256'],
  ['state', 'st4te'],
  ['scope', who.scope],
  ['resource', random.chance(0.9) ? RESOURCE : random.pick(['https://other.example/mcp', '', `${RESOURCE}/`])],
];

const STRANGE_IDS = ['desk', '{{client_id}}', 'machine', DOCUMENT, 'https://evil.example/', '__proto__'];
const clientId = (random, who) => (random.chance(0.9) ? who.id : random.pick(STRANGE_IDS));

/** The identities of a case: the steps of a flow fit together, except where they are made odd. */
const someone = (random) => ({
  ...random.pick([
    { id: 'desk', auth: 'none' },
    { id: '{{client_id}}', auth: 'none' },
    { id: '{{client_id}}', auth: 'client_secret_post' },
    { id: DOCUMENT, auth: 'none' },
  ]),
  redirect: random.chance(0.85) ? CALLBACK : random.pick(REDIRECTS),
  scope: random.pick(['read', 'read write', 'admin', '']),
});

const SECRETS = ['', 'guess', 'undefined'];
const credentials = (random, who) => [
  ['client_id', clientId(random, who)],
  ...(random.chance(0.08) !== (who.auth !== 'none')
    ? [['client_secret', random.chance(0.9) ? '{{client_secret}}' : random.pick(SECRETS)]]
    : []),
  ...(random.chance(0.07)
    ? [
        ['client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
        ['client_assertion', random.pick(['a.b.c', 'eyJhbGciOiJub25lIn0.e30.', hostileString(random).slice(0, 300)])],
      ]
    : []),
];

const STEPS = {
  register: (random, who) => ({
    method: 'POST',
    path: '/register',
    headers: [['content-type', 'application/json']],
    body: hostileJson(random, metadata(random, who)),
  }),
  authorize: (random, who) => ({ method: 'GET', path: '/authorize', query: authorizeQuery(random, who) }),
  stranger: (random, who) => ({
    method: 'POST',
    path: '/authorize',
    query: authorizeQuery(random, who),
    form: [
      ['action', random.pick(['login', 'approve', 'deny', 'switch', ''])],
      ['username', 'ada'],
      ['password', random.pick(['', 'x', 'guess'])],
      ['token', random.pick(['{{token}}', 'x'])],
    ],
  }),
  login: (random, who) => ({
    method: 'POST',
    path: '/authorize',
    query: authorizeQuery(random, who),
    form: [
      ['action', 'login'],
      ['username', 'ada'],
      ['password', PASSWORD],
    ],
  }),
  approve: (random, who) => ({
    method: 'POST',
    path: '/authorize',
    query: authorizeQuery(random, who),
    form: [
      ['action', 'approve'],
      ['token', '{{token}}'],
    ],
  }),
  callback: (random) => ({
    method: 'GET',
    path: '/callback',
    query: [
      ['code', random.pick(['c', '{{code}}'])],
      ['state', random.pick(['{{state}}', 'st4te', ''])],
    ],
  }),
  code: (random, who) => ({
    method: 'POST',
    path: '/token',
    form: [
      ['grant_type', 'authorization_code'],
      ['code', random.pick(['{{code}}', '{{code}}', 'guess'])],
      ['code_verifier', random.chance(0.8) ? VERIFIER : hostileString(random).slice(0, 200)],
      ['redirect_uri', who.redirect],
      ...credentials(random, who),
    ],
  }),
  refresh: (random, who) => ({
    method: 'POST',
    path: '/token',
    form: [
      ['grant_type', 'refresh_token'],
      ['refresh_token', random.pick(['{{refresh_token}}', '{{access_token}}', '{{code}}'])],
      ['scope', random.pick(['read', 'admin', ''])],
      ...credentials(random, who),
    ],
  }),
  alone: (random, who) => ({
    method: 'POST',
    path: '/token',
    form: [
      ['grant_type', random.chance(0.7) ? 'client_credentials' : random.pick(GRANTS.slice(2))],
      ['scope', 'read write admin'],
      ['assertion', 'a.b.c'],
      ['subject_token', 'x'],
      ...credentials(random, who),
    ],
  }),
  introspect: (random, who) => ({
    method: 'POST',
    path: random.pick(['/introspect', '/revoke']),
    form: [
      ['token', random.pick(['{{access_token}}', '{{refresh_token}}', '', hostileString(random).slice(0, 200)])],
      ...credentials(random, who),
    ],
  }),
  call: (random) => ({
    method: 'POST',
    path: '/mcp',
    headers: [
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
      [
        'authorization',
        random.pick([
          'Bearer {{access_token}}',
          'Bearer {{refresh_token}}',
          'Bearer {{code}}',
          'Bearer x',
          'DPoP {{access_token}}',
          'Basic eA==',
          'Bearer',
          '',
        ]),
      ],
      ...(random.chance(0.2) ? [['dpop', random.pick(['a.b.c', 'eyJhbGciOiJub25lIn0.e30.', ''])]] : []),
    ],
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  }),
  metadata: (random) => ({
    method: random.pick(['GET', 'HEAD', 'POST']),
    path: random.pick([
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource/mcp',
      '/login',
      '/',
      '//',
      '/register',
      '/token',
    ]),
    query: [['return_to', random.pick(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:x'])]],
  }),
};

const FLOW = ['register', 'authorize', 'login', 'approve', 'code', 'call', 'refresh', 'call', 'introspect'];
const STRANGERS = Object.keys(STEPS).filter((name) => name !== 'login');

export function oauthCase(random) {
  const room = random.pick(['password', 'password', 'password', 'closed', 'proxy', 'proxy', 'router', 'router']);
  const who = someone(random);
  const isPerson = random.chance(0.4);
  const names = isPerson
    ? FLOW.filter(() => random.chance(0.96))
    : ['register', ...random.list(1, 6, () => random.pick(STRANGERS))];
  const steps = names
    .map((name) => STEPS[name](random, who))
    .map((step) => (random.chance(0.12) ? oddStep(random, step) : step));
  const document = { ...metadata(random, who), client_id: DOCUMENT };
  return {
    room,
    documents: {
      [DOCUMENT]: random.chance(0.8) ? document : hostileValue(random),
      [`${HUB}/token`]: random.chance(0.5)
        ? { access_token: 'up', token_type: 'bearer' }
        : mutated(random, { access_token: 'up', token_type: 'bearer', expires_in: 3600, refresh_token: 'r' }),
    },
    steps: random.chance(0.1) ? random.shuffled(steps) : steps,
  };
}

function oddStep(random, step) {
  const kind = random.int(0, 6);
  const pairs = step.form ?? step.query;
  if (kind <= 2 && pairs !== undefined && pairs.length > 0) {
    const index = random.int(0, pairs.length - 1);
    const odd = random.pick([
      pairs.toSpliced(index, 1),
      [...pairs, pairs[index]],
      pairs.with(index, [pairs[index][0], changedText(random, String(pairs[index][1]))]),
      pairs.with(index, [changedText(random, pairs[index][0]), pairs[index][1]]),
      [...pairs, [hostileString(random).slice(0, 200), 'x']],
    ]);
    return step.form ? { ...step, form: odd } : { ...step, query: odd };
  }
  if (kind === 3)
    return {
      ...step,
      headers: [
        ...(step.headers ?? []),
        random.pick([
          ['authorization', 'Basic !!!'],
          ['authorization', `Basic ${Buffer.from('machine:x:y').toString('base64')}`],
          ['content-type', 'text/plain'],
          ['cookie', 'mcp-login=x; __Host-mcp-login=y; a'],
          ['host', 'evil.example'],
          ['origin', 'https://evil.example'],
          ['dpop', 'x.y.z'],
          ['content-length', '5'],
        ]),
      ],
    };
  if (kind === 4) return { ...step, method: random.pick(['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'POST']) };
  if (kind === 5) return { ...step, form: undefined, body: hostileJson(random, hostileValue(random)) };
  return {
    ...step,
    path: random.pick([
      `${step.path}/`,
      step.path.toUpperCase(),
      `/${step.path}`,
      `${step.path}%00`,
      `${step.path}?x=1`,
    ]),
  };
}

export const variedOauthCase = (random, input) => ({
  ...input,
  steps: input.steps.map((step) => (random.chance(0.4) ? oddStep(random, step) : step)),
});

export { ISSUER };
