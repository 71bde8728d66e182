import { join } from 'node:path';
import { installProgram, installTool, npmCommand, root } from './install.mjs';
import { run, serve } from './processes.mjs';
import { INSPECTOR_NODE_VERSION, INSPECTOR_VERSION } from './versions.mjs';

const START_MS = 120_000;
const CALL_MS = 60_000;

/** The ways in which the Inspector connects: each of its choices of a family, and the older transport. */
const WAYS = [
  { name: 'legacy', path: '/mcp', args: ['--protocol-era', 'legacy'] },
  { name: 'auto', path: '/mcp', args: ['--protocol-era', 'auto'] },
  { name: 'modern', path: '/mcp', args: ['--protocol-era', 'modern'] },
  { name: 'sse', path: '/sse', args: ['--transport', 'sse'] },
];

const CALLS = [
  {
    name: 'lists',
    args: ['--method', 'tools/list'],
    holds: ({ tools }) => tools.some((tool) => tool.name === 'add'),
  },
  {
    name: 'calls',
    args: ['--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=2', '--tool-arg', 'b=40'],
    holds: ({ content }) => JSON.parse(content[0].text).sum === 42,
  },
];

async function ask(inspect, url, args, holds) {
  const { code, stdout, output } = await inspect([url, ...args]);
  if (code !== 0) return `it ended with ${code}: ${output.trim().slice(-600)}`;
  try {
    return holds(JSON.parse(stdout)) ? undefined : `it printed ${stdout.slice(0, 300)}`;
  } catch (error) {
    return `${error.message}: ${stdout.slice(0, 300)}`;
  }
}

/** Returns a function that runs the Inspector's command line to its end. */
export async function installInspector() {
  const node = await installProgram('node', INSPECTOR_NODE_VERSION);
  const folder = await installTool('@modelcontextprotocol/inspector', INSPECTOR_VERSION);
  const program = join(folder, 'clients', 'launcher', 'build', 'index.js');
  // The Inspector keeps a catalogue in the home folder, so it gets another one.
  const env = { HOME: folder, USERPROFILE: folder };
  return (args) => run([node, program, '--cli', ...args], { cwd: folder, env, limitMs: CALL_MS });
}

/** Lists and calls with the Inspector against `npm start`. */
export async function inspectStart(inspect) {
  const ready = /http:\/\/127\.0\.0\.1:\d+(?=\/mcp[\s\S]*Stop with)/;
  const { match, stop } = await serve(npmCommand(['start']), {
    cwd: root,
    env: { PORT: '0' },
    ready,
    limitMs: START_MS,
  });
  const results = [];
  try {
    for (const way of WAYS) {
      for (const { name, args, holds } of CALLS) {
        const error = await ask(inspect, `${match}${way.path}`, [...way.args, ...args], holds);
        results.push({ name: `${way.name}: ${name}`, error });
      }
    }
  } finally {
    stop();
  }
  return results;
}
