// The first pages of the guide, followed to the letter in a folder that `npm init -y` has made.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../runtimes/processes.mjs';
import { execute, expectText, freePort, node } from './folder.mjs';
import { useConfiguration } from './host.mjs';
import { readPage } from './page.mjs';

const READY_MS = 30_000;
const page = readPage('docs/guide/five-minutes.md');

function save(folder, files) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** A server, a client, and what the client prints. */
export async function byHand(folder) {
  save(folder, { 'server.mjs': page.program('server.mjs'), 'client.mjs': page.program('client.mjs') });
  expectText(await node(['client.mjs'], folder), page.printed('node client.mjs'));
}

const HOSTS = ['### Claude Desktop', '`.mcp.json` in it', '### VS Code', '### Cursor'];

/** The server as each host starts it, by its configuration on the page. */
export async function inHosts(folder) {
  const replace = (text) => text.replaceAll('/path/to/greeter', folder);
  for (const words of HOSTS) await useConfiguration(page.json(words), { folder, replace });
  const added = page.command('### Claude Code');
  const [command, ...args] = added.slice(added.indexOf('--') + 1);
  await useConfiguration({ mcpServers: { greeter: { command, args } } }, { folder, replace });
}

/** The same over HTTP, on a port that is free. */
export async function overHttp(folder) {
  const port = await freePort();
  const replace = (text) => text.replaceAll(':3000', `:${port}`).replace('listen(3000', `listen(${port}`);
  save(folder, { 'http.mjs': replace(page.program('http.mjs')) });
  const server = await serve([process.execPath, 'http.mjs'], { cwd: folder, ready: /http:\S+/, limitMs: READY_MS });
  try {
    for (const words of [
      'In Claude Code, `.mcp.json`',
      'In VS Code, `.vscode/mcp.json`',
      'In Cursor, `.cursor/mcp.json`',
    ])
      await useConfiguration(page.json(words), { folder, replace });
  } finally {
    server.stop();
  }
}

/** The server of the page in TypeScript, with the settings of the page. */
export async function inTypeScript(folder) {
  const project = join(folder, 'typed');
  mkdirSync(join(project, 'src'), { recursive: true });
  save(project, {
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify(page.json('## In TypeScript')),
    'src/server.ts': page.program('server.mjs'),
  });
  await execute([process.execPath, join(folder, 'node_modules/typescript/bin/tsc')], project);
  const configuration = { mcpServers: { greeter: { command: 'node', args: ['dist/server.js'] } } };
  await useConfiguration(configuration, { folder: project });
}

/** The other first pages: a server and a client that calls it, and the lines of the npm page. */
export async function firstPages(folder) {
  save(folder, {
    'server.mjs': readPage('docs/guide/first-server.md').program('server.mjs'),
    'client.mjs': readPage('docs/guide/first-client.md').program('client.mjs'),
    'hello.mjs': readPage('packages/crosspoint/README.md').program('hello.mjs'),
  });
  for (const program of ['client.mjs', 'hello.mjs']) {
    const printed = await node([program], folder);
    if (!/^\s*(?:.*\n)?\{\n? +content: \[ \{ type: 'text', text: 'Hello, Ada!' \} \]/.test(printed))
      throw new Error(`${program} printed ${printed}`);
  }
}
