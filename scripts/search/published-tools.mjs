// Lists the tools of published servers, as `npm run peers` installs and starts them: without a network and without accounts.
import { join } from 'node:path';
import { Client } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { ROOT } from '../packages.mjs';
import { peerEnvironment } from '../peers/environment.mjs';
import { SERVERS } from '../peers/servers.mjs';
import { commandOf } from '../swap/drive-server.mjs';
import { installPublished, workFolder } from '../swap/installations.mjs';

const PROGRAMS = join(ROOT, 'scripts', 'peers', 'programs', 'servers');
const CONNECT_MS = 60_000;

/** The servers that the questions are asked of, by the name that a user might give each. */
export const SEARCHED = {
  everything: '@modelcontextprotocol/server-everything',
  memory: '@modelcontextprotocol/server-memory',
  filesystem: '@modelcontextprotocol/server-filesystem',
  thinking: '@modelcontextprotocol/server-sequential-thinking',
  github: '@modelcontextprotocol/server-github',
  map: '@modelcontextprotocol/server-map',
  threejs: '@modelcontextprotocol/server-threejs',
  playwright: '@playwright/mcp',
  'chrome-devtools': 'chrome-devtools-mcp',
  context7: '@upstash/context7-mcp',
  brave: '@brave/brave-search-mcp-server',
  tavily: 'tavily-mcp',
  exa: 'exa-mcp-server',
  notion: '@notionhq/notion-mcp-server',
  figma: 'figma-developer-mcp',
  sentry: '@sentry/mcp-server',
  charts: '@antv/mcp-server-chart',
  drawio: '@drawio/mcp',
  eslint: '@eslint/mcp',
  nx: 'nx-mcp',
  next: 'next-devtools-mcp',
  git: '@cyanheads/git-mcp-server',
  fetch: 'mcp-fetch-server',
  time: 'time-mcp',
  ref: 'ref-tools-mcp',
  'code-runner': 'mcp-server-code-runner',
  commands: 'mcp-server-commands',
};

function published(name) {
  const found = SERVERS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not in scripts/peers/servers.mjs.`);
  return found;
}

/**
 * Installs and starts one server and reads its tools and instructions.
 * @param {string} name a name of `SEARCHED`
 */
export async function listPublished(name) {
  const peer = published(SEARCHED[name]);
  const folder = await installPublished(peer, { work: workFolder('peers'), programs: PROGRAMS });
  const [command, ...args] = commandOf(peer, folder);
  const env = { ...peerEnvironment(folder), ...peer.env };
  const transport = new StdioClientTransport({ command, args, env, cwd: folder, stderr: 'pipe' });
  const client = new Client({ name: 'search', version: '1.0.0' });
  try {
    await client.connect(transport, { timeoutMs: CONNECT_MS });
    const { tools } = await client.listTools();
    return { tools, instructions: client.getInstructions() };
  } finally {
    await client.close().catch(() => {});
  }
}
