// The published servers that are tried with our client, in exact versions, and how each is used.
import { PUBLISHED } from '../swap/published.mjs';

/**
 * Everything that `Published` says of a server, and:
 * @typedef {object} OfPeers
 * @property {string} does what it is, for the table
 * @property {{ args?: string[], env?: Record<string, string>, path?: string, start?: string, prints?: boolean }} [overHttp] how it is started over HTTP
 *   as well; `{port}` stands for the port, unless it `prints` its address
 * @property {boolean} [onlyHttp] it has no stdio
 * @property {object[]} [more] further calls; `shows` says what each is for
 * @property {object} [answer] to its questions; they are declined without one
 * @property {object} [complete] params of a completion
 *
 * @typedef {import('../swap/published.mjs').Published & OfPeers} PeerServer
 */

/** A server that `npm run swap` tries too, with what is said here. */
function alsoSwapped(name, said) {
  const published = PUBLISHED.find((one) => one.name === name && one.side === 'server');
  if (published === undefined) throw new Error(`${name} is not in scripts/swap/published.mjs.`);
  return { ...published, ...said };
}

const ADD = { name: 'add', arguments: { a: 2, b: 40 }, answer: /^42$/ };
const GREET = { name: 'greet', arguments: { who: 'you' } };
const COMPLETE_GREET = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'y' } };
/** The answer is the same whether the machine has a browser or not. */
const NO_BROWSER = ['--headless', '--executable-path=/none'];
const ON_PORT = ['--transport', 'http', '--port', '{port}'];

/** @type {readonly PeerServer[]} */
const OFFICIAL = [
  alsoSwapped('@modelcontextprotocol/server-everything', {
    does: 'shows every feature',
    overHttp: { args: ['streamableHttp'], env: { PORT: '{port}' } },
    more: [
      { name: 'get-structured-content', arguments: { location: 'Chicago' }, answer: /36/, shows: 'structured content' },
      { name: 'trigger-elicitation-request', arguments: {}, answer: /declined/, shows: 'elicitation' },
      { name: 'trigger-sampling-request', arguments: { prompt: '2 + 2' }, answer: /four/, shows: 'sampling' },
      { name: 'get-roots-list', arguments: {}, answer: /peers/, shows: 'roots' },
    ],
    complete: { ref: { type: 'ref/prompt', name: 'completable-prompt' }, argument: { name: 'department', value: 'S' } },
  }),
  alsoSwapped('@modelcontextprotocol/server-memory', { does: 'a knowledge graph' }),
  alsoSwapped('@modelcontextprotocol/server-filesystem', { does: 'files of a folder' }),
  alsoSwapped('@modelcontextprotocol/server-sequential-thinking', { does: 'steps of thinking' }),
  {
    name: '@modelcontextprotocol/server-github',
    version: '2025.4.8',
    side: 'server',
    does: 'GitHub, archived',
    start: 'dist/index.js',
    call: { name: 'search_repositories', arguments: { query: 'mcp' }, rejects: /fetch failed|ENETUNREACH/ },
  },
  {
    name: '@modelcontextprotocol/server-map',
    version: '2.0.3',
    side: 'server',
    does: 'an app with a view',
    start: 'dist/index.js',
    args: ['--stdio'],
    overHttp: { args: [], env: { PORT: '{port}' } },
    call: { name: 'show-map', arguments: {}, answer: /./ },
  },
  {
    name: '@modelcontextprotocol/server-threejs',
    version: '2.0.3',
    side: 'server',
    does: 'an app with a view',
    start: 'dist/index.js',
    args: ['--stdio'],
    overHttp: { args: [], env: { PORT: '{port}' } },
    call: { name: 'learn_threejs', arguments: {}, answer: /./ },
  },
];

/** @type {readonly PeerServer[]} */
const PRODUCTS = [
  {
    name: '@playwright/mcp',
    version: '0.0.83',
    side: 'server',
    does: 'a browser',
    start: 'cli.js',
    args: NO_BROWSER,
    overHttp: {
      args: [...NO_BROWSER, '--port', '{port}', '--host', '127.0.0.1', '--allowed-hosts', '127.0.0.1:{port}'],
    },
    call: { name: 'browser_tabs', arguments: { action: 'list' }, answer: /./, fails: true },
  },
  {
    name: 'chrome-devtools-mcp',
    version: '1.11.0',
    side: 'server',
    does: 'a browser',
    start: 'build/src/bin/chrome-devtools-mcp.js',
    args: ['--executablePath=/none', '--headless'],
    call: { name: 'list_pages', arguments: {}, answer: /./, fails: true },
  },
  {
    name: '@upstash/context7-mcp',
    version: '4.1.1',
    side: 'server',
    does: 'documentation of libraries',
    start: 'dist/index.js',
    overHttp: { args: ON_PORT },
    call: { name: 'resolve-library-id', arguments: { query: 'x', libraryName: 'x' }, answer: /./ },
  },
  alsoSwapped('@brave/brave-search-mcp-server', { does: 'search', overHttp: { args: ON_PORT } }),
  alsoSwapped('tavily-mcp', { does: 'search' }),
  {
    name: 'exa-mcp-server',
    version: '3.4.1',
    side: 'server',
    does: 'search',
    start: 'dist/stdio.cjs',
    call: { name: 'web_search_exa', arguments: { query: 'x' }, answer: /./, fails: true },
  },
  {
    name: '@notionhq/notion-mcp-server',
    version: '2.5.2',
    side: 'server',
    does: 'Notion, by its OpenAPI document',
    start: 'bin/cli.mjs',
    env: { NOTION_TOKEN: 'none' },
    overHttp: { args: [...ON_PORT, '--unsafe-disable-auth'] },
    call: { name: 'API-get-self', arguments: {}, rejects: /ENETUNREACH/ },
  },
  {
    name: 'figma-developer-mcp',
    version: '0.13.2',
    side: 'server',
    does: 'designs of Figma',
    start: 'dist/bin.js',
    args: ['--stdio', '--no-telemetry', '--figma-api-key=none'],
    overHttp: { args: ['--no-telemetry', '--figma-api-key=none', '--port', '{port}'] },
    call: { name: 'get_figma_data', arguments: { fileKey: 'none' }, answer: /./, fails: true },
  },
  {
    name: '@sentry/mcp-server',
    version: '0.39.0',
    side: 'server',
    does: 'errors of Sentry',
    start: 'dist/index.js',
    args: ['--access-token=none'],
    call: { name: 'find_organizations', arguments: {}, answer: /./, fails: true },
  },
  {
    name: '@antv/mcp-server-chart',
    version: '0.9.10',
    side: 'server',
    does: 'charts',
    start: 'build/index.js',
    overHttp: { args: ['--transport', 'streamable', '--port', '{port}', '--host', '127.0.0.1'] },
    call: { name: 'generate_bar_chart', arguments: { data: [] }, rejects: /ENETUNREACH/ },
  },
  {
    name: '@drawio/mcp',
    version: '1.6.1',
    side: 'server',
    does: 'diagrams',
    start: 'src/index.js',
    call: { name: 'search_shapes', arguments: { query: 'arrow' }, answer: /fetch failed/, fails: true },
  },
  {
    name: '@eslint/mcp',
    version: '0.3.13',
    side: 'server',
    does: 'ESLint',
    start: 'src/mcp-cli.js',
    call: { name: 'lint-files', arguments: { filePaths: [] }, answer: /Input validation error/, fails: true },
  },
  {
    name: 'nx-mcp',
    version: '0.25.0',
    side: 'server',
    does: 'Nx',
    start: 'main.js',
    call: { name: 'nx_docs', arguments: { userQuery: 'x' }, rejects: /fetch failed/ },
  },
  {
    name: 'next-devtools-mcp',
    version: '0.4.0',
    side: 'server',
    does: 'Next.js',
    start: 'dist/index.js',
    call: { name: 'nextjs_index', arguments: {}, answer: /./ },
  },
];

/** @type {readonly PeerServer[]} */
const OTHERS = [
  {
    name: '@cyanheads/git-mcp-server',
    version: '2.15.3',
    side: 'server',
    does: 'Git',
    start: 'dist/index.js',
    overHttp: { env: { MCP_TRANSPORT_TYPE: 'http', MCP_HTTP_PORT: '{port}', MCP_HTTP_HOST: '127.0.0.1' } },
    call: { name: 'git_wrapup_instructions', arguments: { acknowledgement: 'Yes' }, answer: /./ },
  },
  {
    name: 'mcp-fetch-server',
    version: '1.1.2',
    side: 'server',
    does: 'web pages',
    start: 'dist/index.js',
    call: { name: 'fetch_txt', arguments: { url: 'http://127.0.0.1:9' }, answer: /./, fails: true },
  },
  {
    name: 'time-mcp',
    version: '1.0.6',
    side: 'server',
    does: 'dates',
    start: 'dist/index.js',
    call: { name: 'days_in_month', arguments: { date: '2026-02-01' }, answer: /28/ },
  },
  {
    name: 'ref-tools-mcp',
    version: '3.0.3',
    side: 'server',
    does: 'documentation',
    start: 'dist/index.cjs',
    call: { name: 'ref_search_documentation', arguments: { query: 'x' }, answer: /./ },
  },
  alsoSwapped('mcp-server-code-runner', { does: 'runs code' }),
  alsoSwapped('mcp-server-commands', { does: 'runs commands' }),
];

/** @type {readonly PeerServer[]} */
const FRAMEWORKS = [
  {
    name: '@modelcontextprotocol/server',
    version: '2.4.0',
    beside: { '@hono/node-server': '2.1.6', hono: '4.13.17', zod: '4.6.7' },
    side: 'server',
    does: 'the official SDK, version 2',
    program: 'v2-server.mjs',
    args: ['stdio'],
    overHttp: { args: ['http'], prints: true },
    call: ADD,
    prompt: GREET,
    complete: COMPLETE_GREET,
  },
  alsoSwapped('fastmcp', { does: 'a framework' }),
  alsoSwapped('fastify-mcp', { does: 'a framework' }),
  alsoSwapped('@hono/mcp', { does: 'a framework', answer: { colour: 'blue' } }),
  alsoSwapped('litemcp', { does: 'a framework' }),
  alsoSwapped('mcp-framework', { does: 'a framework' }),
  {
    name: 'mcp-handler',
    version: '2.3.0',
    beside: { '@modelcontextprotocol/server': '2.4.0', '@hono/node-server': '2.1.6', hono: '4.13.17', zod: '4.6.7' },
    side: 'server',
    does: 'a framework',
    program: 'mcp-handler-v2-server.mjs',
    http: true,
    call: ADD,
    prompt: GREET,
    complete: COMPLETE_GREET,
  },
  {
    name: 'mcp-lite',
    version: '0.10.0',
    beside: { '@hono/node-server': '2.1.6', hono: '4.13.17', zod: '4.6.7' },
    side: 'server',
    does: 'a framework',
    program: 'mcp-lite-server.mjs',
    http: true,
    call: ADD,
    prompt: GREET,
  },
  {
    name: 'tmcp',
    version: '1.20.0',
    beside: {
      '@tmcp/adapter-zod': '0.1.7',
      '@tmcp/transport-http': '0.9.0',
      '@tmcp/transport-stdio': '0.5.0',
      '@hono/node-server': '2.1.6',
      hono: '4.13.17',
      zod: '4.6.7',
    },
    side: 'server',
    does: 'a framework',
    program: 'tmcp-server.mjs',
    args: ['stdio'],
    overHttp: { args: ['http'], prints: true },
    call: ADD,
    prompt: GREET,
    complete: COMPLETE_GREET,
  },
];

const ASK = { name: 'ask', arguments: {}, answer: /^accept: blue$/, shows: 'elicitation' };
const BEHIND = { '@modelcontextprotocol/sdk': '1.32.2', zod: '4.6.7' };

/** Each stands in front of a server on v1. @type {readonly PeerServer[]} */
const BRIDGES = [
  alsoSwapped('supergateway', {
    does: 'a bridge, in front of a server on v1',
    ask: ASK,
    answer: { colour: 'blue' },
    overHttp: {
      program: undefined,
      start: 'dist/index.js',
      args: [
        '--stdio',
        'node v1-stdio-server.mjs',
        '--outputTransport',
        'streamableHttp',
        '--stateful',
        '--port',
        '{port}',
      ],
    },
  }),
  {
    name: 'mcp-proxy',
    version: '6.7.19',
    beside: BEHIND,
    side: 'server',
    does: 'a bridge, in front of a server on v1',
    start: 'dist/bin/mcp-proxy.mjs',
    args: ['--port', '{port}', '--host', '127.0.0.1', '--', 'node', 'v1-stdio-server.mjs'],
    overHttp: {},
    onlyHttp: true,
    call: ADD,
    ask: ASK,
    answer: { colour: 'blue' },
    prompt: GREET,
  },
  {
    name: 'mcp-remote',
    version: '0.15.1',
    beside: BEHIND,
    side: 'server',
    does: 'a bridge, in front of a server on v1',
    program: 'mcp-remote-server.mjs',
    call: ADD,
    ask: ASK,
    answer: { colour: 'blue' },
    prompt: GREET,
  },
];

/** @type {readonly PeerServer[]} */
export const SERVERS = [...OFFICIAL, ...PRODUCTS, ...OTHERS, ...FRAMEWORKS, ...BRIDGES];
