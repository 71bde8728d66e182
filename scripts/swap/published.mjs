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
 * @property {{ name: string, arguments: object, answer: RegExp }} [call] a harmless call of a tool, and what its first text says
 * @property {RegExp[]} [known] differences from v1 that are meant
 */

/** @type {readonly Published[]} */
export const PUBLISHED = [
  {
    name: '@modelcontextprotocol/server-memory',
    version: '2026.8.31',
    side: 'server',
    start: 'dist/index.js',
    call: { name: 'search_nodes', arguments: { query: 'x' }, answer: /"entities": \[\]/ },
  },
  {
    name: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    side: 'server',
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
    start: 'dist/index.js',
    call: { name: 'get-sum', arguments: { a: 2, b: 40 }, answer: /42/ },
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
  { name: 'mcp-client', version: '1.13.1', side: 'client', program: 'mcp-client.mjs' },
  {
    name: '@langchain/mcp-adapters',
    version: '1.1.4',
    side: 'client',
    program: 'langchain-client.mjs',
  },
];
