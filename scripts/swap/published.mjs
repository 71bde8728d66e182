// The published packages that are tried with @crosspoint/sdk in the place of @modelcontextprotocol/sdk, in exact versions, and how each is driven.

/**
 * @typedef {object} Published
 * @property {string} name
 * @property {string} version
 * @property {Record<string, string>} [beside] what a program that uses it installs, too
 * @property {'server' | 'client'} side which side of the protocol it takes
 * @property {string} [program] a program of `programs/` that uses the package
 * @property {string} [start] a file of the package itself; used where there is no `program`
 * @property {string[]} [args] `{folder}` stands for an empty folder
 * @property {boolean} [http] a server that says on which address it listens; others speak over stdio
 * @property {Record<string, string>} [env] for a server that does not start without
 * @property {string} [compared] the newest revision that the v1 it was published with speaks; `2025-11-25` when absent
 * @property {string[]} [revisions] those that it can speak, where a transport of the package's own decides; otherwise all
 * @property {{ name: string, arguments: object, answer?: RegExp, fails?: boolean, rejects?: RegExp }} [call] a harmless call of a tool, and what
 *   its first text or its error says
 * @property {{ name: string, arguments: object, answer: RegExp }} [ask] a call of a tool that asks for a colour
 * @property {{ name: string, arguments: object }} [prompt]
 * @property {boolean} [upgrade] whether `crosspoint upgrade` is tried on the package itself
 * @property {string[]} [can] what a client does and prints: `tools`, `answer`, `read`, `prompt`, `asked`
 * @property {RegExp[]} [known] differences from v1 that are meant
 */

/** @type {readonly Published[]} */
export const PUBLISHED = [
  {
    name: '@modelcontextprotocol/server-memory',
    version: '2026.8.31',
    side: 'server',
    upgrade: true,
    start: 'dist/index.js',
    call: { name: 'search_nodes', arguments: { query: 'x' }, answer: /"entities": \[\]/ },
  },
  {
    name: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    side: 'server',
    upgrade: true,
    start: 'dist/index.js',
    args: ['{folder}'],
    call: { name: 'list_allowed_directories', arguments: {}, answer: /Allowed directories/ },
  },
  {
    name: '@modelcontextprotocol/server-sequential-thinking',
    version: '2026.8.31',
    side: 'server',
    start: 'dist/index.js',
    call: {
      name: 'sequentialthinking',
      arguments: { thought: 'x', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      answer: /"thoughtHistoryLength": 1/,
    },
  },
  {
    name: '@modelcontextprotocol/server-everything',
    version: '2026.8.31',
    side: 'server',
    upgrade: true,
    start: 'dist/index.js',
    call: { name: 'get-sum', arguments: { a: 2, b: 40 }, answer: /42/ },
    prompt: { name: 'args-prompt', arguments: { city: 'Bern' } },
    known: [
      // v1 does not see the description of an argument behind `.optional()`.
      /^\/prompts\/1\/arguments\/1\/description: undefined with v1/,
      // Registered in `oninitialized`, which only a handshake brings about.
      /^\/tools\/12: \{"name":"simulate-research-query".* undefined with ours$/s,
    ],
  },
  {
    name: 'mcp-server-code-runner',
    version: '0.1.8',
    side: 'server',
    start: 'dist/cli.js',
    call: { name: 'run-code', arguments: { code: 'console.log(6 * 7)', languageId: 'javascript' }, answer: /42/ },
  },
  {
    name: 'fastmcp',
    version: '4.20.16',
    side: 'server',
    program: 'fastmcp-server.mjs',
    call: { name: 'add', arguments: { a: 2, b: 40 }, answer: /^42$/ },
    prompt: { name: 'greet', arguments: { who: 'you' } },
  },
  {
    name: 'fastify-mcp',
    version: '3.0.0',
    beside: { fastify: '5.12.8', '@modelcontextprotocol/sdk': '1.32.2', zod: '3.25.76' },
    side: 'server',
    program: 'fastify-server.mjs',
    http: true,
    call: { name: 'add', arguments: { a: 2, b: 40 }, answer: /^42$/ },
  },
  {
    name: 'mcp-server-commands',
    version: '0.5.0',
    side: 'server',
    start: 'build/index.js',
    compared: '2024-11-05',
    call: { name: 'run_command', arguments: { command: 'echo 42' }, answer: /42/ },
    prompt: { name: 'run_command', arguments: { command: 'echo 42' } },
    // That revision has no description of a server.
    known: [/^\/info\/description: ".*" with v1, undefined with ours$/],
  },
  {
    // The calls of this one and the next two go to addresses on the network, so they are such as are refused before.
    name: 'tavily-mcp',
    version: '0.2.22',
    side: 'server',
    start: 'build/index.js',
    env: { TAVILY_API_KEY: 'none' },
    call: { name: 'tavily_none', arguments: {}, rejects: /Unknown tool: tavily_none/ },
  },
  {
    name: '@upstash/context7-mcp',
    version: '2.3.0',
    side: 'server',
    start: 'dist/index.js',
    call: { name: 'query-docs', arguments: {}, answer: /Input validation error/, fails: true },
  },
  {
    name: '@brave/brave-search-mcp-server',
    version: '2.1.4',
    side: 'server',
    start: 'dist/index.js',
    env: { BRAVE_API_KEY: 'none' },
    call: { name: 'brave_web_search', arguments: {}, answer: /Input validation error/, fails: true },
    // It exchanges the schemas of its lists in a private member of v1's server, which it finds missing.
    known: [/^\/tools\/\d+\/(?:in|out)putSchema\//],
  },
  {
    name: 'litemcp',
    version: '0.9.0',
    beside: { zod: '3.25.76' },
    side: 'server',
    program: 'litemcp-server.mjs',
    call: { name: 'add', arguments: { a: 2, b: 40 }, answer: /^42$/ },
    prompt: { name: 'greet', arguments: { who: 'you' } },
  },
  {
    name: 'mcp-framework',
    version: '0.2.22',
    beside: { '@modelcontextprotocol/sdk': '1.32.2', zod: '3.25.76' },
    side: 'server',
    program: 'mcp-framework-server.mjs',
    call: { name: 'add', arguments: { a: 2, b: 40 }, answer: /42/ },
  },
  {
    // It has a transport of its own, which reads the version of each request and refuses those that v1 does not know.
    name: '@hono/mcp',
    version: '0.3.2',
    beside: { '@modelcontextprotocol/sdk': '1.32.2', hono: '4.13.17', '@hono/node-server': '2.1.6', zod: '4.6.7' },
    side: 'server',
    program: 'hono-server.mjs',
    http: true,
    revisions: ['2025-03-26', '2025-06-18', '2025-11-25'],
    call: { name: 'add', arguments: { a: 2, b: 40 }, answer: /^42$/ },
    ask: { name: 'ask', arguments: {}, answer: /^accept: blue$/ },
    prompt: { name: 'greet', arguments: { who: 'you' } },
  },
  {
    name: 'mcp-handler',
    version: '1.1.0',
    beside: { '@modelcontextprotocol/sdk': '1.26.0', '@hono/node-server': '2.1.6', zod: '4.6.7' },
    side: 'server',
    program: 'mcp-handler-server.mjs',
    http: true,
    call: { name: 'add', arguments: { a: 2, b: 40 }, answer: /^42$/ },
    prompt: { name: 'greet', arguments: { who: 'you' } },
  },
  {
    // It hands each message to a client of its own, which has no headers of the newest revision.
    name: 'supergateway',
    version: '4.0.0',
    beside: { '@modelcontextprotocol/sdk': '1.32.2', zod: '4.6.7' },
    side: 'server',
    program: 'supergateway-server.mjs',
    revisions: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'],
    call: { name: 'add', arguments: { a: 2, b: 40 }, answer: /^42$/ },
    prompt: { name: 'greet', arguments: { who: 'you' } },
  },
  {
    name: 'mcp-client',
    version: '1.13.1',
    side: 'client',
    program: 'mcp-client.mjs',
    can: ['tools', 'answer', 'read', 'prompt'],
  },
  {
    name: '@langchain/mcp-adapters',
    version: '1.1.4',
    // Its peers in versions that fit each other: the newest of one may want more of the other than is published.
    beside: { '@langchain/core': '1.2.13', '@langchain/langgraph': '1.4.10' },
    side: 'client',
    program: 'langchain-client.mjs',
    can: ['tools', 'answer', 'read'],
  },
  {
    name: '@openai/agents-core',
    version: '0.3.9',
    side: 'client',
    program: 'openai-agents-client.mjs',
    can: ['tools', 'answer'],
  },
  {
    name: '@mastra/mcp',
    version: '1.12.1',
    side: 'client',
    program: 'mastra-client.mjs',
    can: ['tools', 'answer', 'asked', 'read', 'prompt'],
  },
];
