// One run of an agent over three servers, with a question, a task, a login, sampling, a crash and a restart. The model is a script.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Host } from '@crosspoint/host';
import { agent } from '@crosspoint/host/agent';
import { timeline } from '@crosspoint/host/timeline';
import { MemoryCredentials } from 'crosspoint/auth';
import { personWith, startServers } from './http-servers.mjs';

const NOTES = fileURLToPath(new URL('notes.mjs', import.meta.url));
const random = (prefix = '') => prefix + randomBytes(12).toString('hex');

/** Secrets by the place where they are planted. */
function plant() {
  const jwt = ['{"alg":"none"}', `{"sub":"${random()}"}`, random()].map((part) =>
    Buffer.from(part).toString('base64url'),
  );
  return {
    'variable of a child': random(),
    'header of an entry': random(),
    'parameter of an address': random(),
    'password of a login': random(),
    'answer to a form': random(),
    'argument called password': random(),
    'argument inside of credentials': random(),
    'argument in a pair': random(),
    'argument after Bearer': random(),
    'argument after Basic': Buffer.from(`ada:${random()}`).toString('base64'),
    'argument in an assignment': random(),
    'user of an address in an argument': random(),
    'token alone in an address': random(),
    'parameter of an address in an argument': random(),
    'key of a provider, in an error': random('sk-ant-api03-'),
    'token of a known form, in a log': random('ghp_'),
    'key of a known form, in stderr': `AKIA${randomBytes(8).toString('hex').toUpperCase()}`,
    'connection string in stderr': random(),
    'private key in a log': random(),
    'JSON Web Token in a log': jwt.join('.'),
    'text that the program names': random(),
  };
}

/** Answers every question of the inbox as a person would. */
function answerAll(host, password) {
  host.inbox.watch((change) => {
    if (change.type !== 'asked') return;
    const { id, kind } = change.item;
    const answer =
      kind === 'form' ? { action: 'accept', content: { reader: 'ada', answer: password } } : { action: 'allow' };
    setTimeout(() => host.inbox.answer(id, answer), 25);
  });
}

/** The model that servers ask: its first answer is an error. */
function modelWithOneFailure(message) {
  let answers = 0;
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 35));
    answers += 1;
    if (answers === 1) throw new Error(message);
    return { model: 'scripted-model', role: 'assistant', content: { type: 'text', text: 'A good quarter.' } };
  };
}

/** The calls that the model wants, turn by turn. */
const turns = (secrets) => [
  [
    ['notes__search', { query: 'quarter' }],
    ['reports__quarter', { quarter: 'Q3' }],
  ],
  [['notes__unlock', {}]],
  [['notes__archive', {}]],
  [['notes__search', { query: 'archive' }]],
  [['reports__summary', {}]],
  [['reports__summary', {}]],
  [['crm__find', { name: 'Acme' }]],
  [['crm__note', noteWith(secrets)]],
];

const noteWith = (secrets) => ({
  about: 'Acme',
  password: secrets['argument called password'],
  credentials: { apiKey: secrets['argument inside of credentials'] },
  headers: [{ name: 'X-Api-Key', value: secrets['argument in a pair'] }],
  texts: [
    `Authorization: Bearer ${secrets['argument after Bearer']}`,
    `Authorization: Basic ${secrets['argument after Basic']}`,
    `export API_TOKEN=${secrets['argument in an assignment']}`,
    `see https://ada:${secrets['user of an address in an argument']}@files.example/a`,
    `see https://${secrets['token alone in an address']}@files.example/a`,
    `see https://files.example/a?x=1&sig=${secrets['parameter of an address in an argument']}`,
    `the word is ${secrets['text that the program names']}`,
  ],
});

/** A provider whose model wants these calls, one list a turn, and then says that it is done. */
function scriptedProvider(lists) {
  let turn = 0;
  return {
    name: 'script',
    models: () => [{ name: 'scripted-model' }],
    complete: async ({ model }) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const calls = lists[turn] ?? [];
      turn += 1;
      const uses = calls.map(([name, input], at) => ({ type: 'tool-use', id: `use-${turn}-${at}`, name, input }));
      return {
        model,
        content: uses.length > 0 ? uses : [{ type: 'text', text: 'The figures are ready.' }],
        stopReason: uses.length > 0 ? 'tool-use' : 'end-turn',
        usage: { inputTokens: 1200, outputTokens: 40, cachedTokens: 0, cacheWriteTokens: 0 },
      };
    },
  };
}

/** Waits for a server that needs a login meanwhile. */
async function isReady(server) {
  const giveUp = Date.now() + 20_000;
  while (server.state.status !== 'ready') {
    if (Date.now() > giveUp) throw new Error(`The server ${server.name} is ${server.state.status}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Makes the run. Gives the timeline, and every secret that was on its way, by its place. */
export async function agentRun() {
  const secrets = plant();
  const password = secrets['password of a login'];
  const servers = await startServers({
    password,
    noise: [
      `cloned with ${secrets['token of a known form, in a log']}`,
      `-----BEGIN PRIVATE KEY-----\n${secrets['private key in a log']}\n-----END PRIVATE KEY-----`,
      `session ${secrets['JSON Web Token in a log']}`,
    ],
  });
  const noise = [
    `aws ${secrets['key of a known form, in stderr']}`,
    `postgres://app:${secrets['connection string in stderr']}@db.example/app`,
  ];
  const pages = [];
  const credentials = new MemoryCredentials();
  const host = new Host({
    name: 'agent',
    version: '1.0.0',
    credentials,
    agent: agent({ models: [scriptedProvider(turns(secrets))] }),
    timeline: timeline({ secrets: [secrets['text that the program names']] }),
    policy: {
      rules: [
        { effect: 'allow', tool: 'search' },
        { effect: 'allow', server: 'reports' },
      ],
    },
    retry: { initialDelayMs: 60 },
    openUrl: personWith(password, (page) => pages.push(page)),
    sampling: {
      model: modelWithOneFailure(`401 invalid x-api-key ${secrets['key of a provider, in an error']}`),
    },
    servers: {
      notes: {
        command: process.execPath,
        args: [NOTES],
        env: { NOTES_API_KEY: secrets['variable of a child'], NOISE: noise.join('|') },
      },
      reports: {
        url: `${servers.reports}?key=${secrets['parameter of an address']}`,
        headers: { 'x-api-key': secrets['header of an entry'] },
      },
      crm: { url: servers.crm },
    },
  });
  answerAll(host, secrets['answer to a form']);
  try {
    for (const server of host.servers.list()) await isReady(server);
    for (const server of ['reports', 'crm']) await host.setLoggingLevel(server, 'debug');
    const { reason, text } = await host.run('Prepare the quarterly figures.', { id: 'quarterly-figures' }).result;
    if (reason !== 'done') throw new Error(`The run ended with ${reason}: ${text}`);
  } finally {
    await host.close();
    await servers.close();
  }
  return { timeline: host.timeline, secrets: { ...secrets, ...onTheWay(pages, credentials) } };
}

/** Secrets that were made during the run: codes, states and tokens of the logins. */
function onTheWay(pages, credentials) {
  const found = {};
  for (const [at, page] of pages.entries())
    for (const [name, value] of new URL(page).searchParams)
      if (['code', 'state', 'code_challenge'].includes(name)) found[`${name} of page ${at}`] = value;
  const kept = JSON.stringify(credentials, (_, value) => (value instanceof Map ? [...value] : value));
  for (const [, name, value] of kept.matchAll(/"(access_token|refresh_token|client_secret)":"([^"]+)"/g))
    found[`${name} ${Object.keys(found).length}`] = value;
  return found;
}
