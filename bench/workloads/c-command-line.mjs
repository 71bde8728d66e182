import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OwnHome } from '../measure/command-line.mjs';
import { placeOf } from '../measure/places.mjs';
import { atMost, withinOf } from './targets.mjs';

const peer = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
const MCPORTER = peer('mcporter/dist/cli.js');
const INSPECTOR = peer('@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const SERVER = [process.execPath, peer('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'];
const crosspoint = (subject) => join(placeOf(subject).bench, '..', 'packages', 'cli', 'bin', 'crosspoint.mjs');

/** Runs of one sample, of which the median counts. */
const runsOf = ({ isQuick }, most) => (isQuick ? 3 : most);

async function inOwnHome(work) {
  const home = new OwnHome();
  try {
    return { wallMs: await work(home) };
  } finally {
    home.remove();
  }
}

const METRICS = [{ key: 'wallMs', title: 'ms', better: 'less' }];
const version = (label, subject, args) => ({ label, subject, args });

export const c1 = {
  id: 'c1',
  title: 'command line: the version',
  note: 'From spawning the program to its end, with a warm file cache: the least that each command costs before it does anything.',
  metrics: METRICS,
  reference: 'node',
  sample: ({ subject, args }, settings) => inOwnHome((home) => home.runs(runsOf(settings, 11), args(subject))),
  variants: [
    version('node', 'raw', () => ['--eval', '0']),
    version('crosspoint', 'crosspoint', (subject) => [crosspoint(subject), '--version']),
    version('mcporter', 'mcporter', () => [MCPORTER, '--version']),
  ],
  targets: [atMost('crosspoint', 'wallMs', 1.5, 'node')],
};

const ANSWER = 'The sum of 2 and 40 is 42.';
const SUM = ['get-sum', 'a=2', 'b=40'];

/** The configuration of mcporter, in which a server is started for each call, or kept. */
function porterConfiguration(home, lifecycle) {
  const file = join(home.path, 'mcporter.json');
  const [command, ...args] = SERVER;
  writeFileSync(file, JSON.stringify({ mcpServers: { ev: { command, args, ...(lifecycle && { lifecycle }) } } }));
  return ['--config', file];
}

const porterCall = (given) => [MCPORTER, ...given, 'call', 'ev.get-sum', 'a=2', 'b=40'];

/** Each: how often and what is run, and what is opened before and closed after. */
const CALLS = {
  'started anew': ({ subject }, home) =>
    home.runs(1, [crosspoint(subject), 'tools', 'call', ...SUM, '--', ...SERVER], ANSWER),
  kept: async ({ subject }, home, settings) => {
    const program = crosspoint(subject);
    await home.run([program, 'connect', '--as', 'ev', '--', ...SERVER]);
    try {
      return await home.runs(runsOf(settings, 7), [program, 'tools', 'call', 'ev', ...SUM], ANSWER);
    } finally {
      await home.run([program, 'close', 'ev']);
    }
  },
  'mcporter, started anew': (_, home) => home.runs(1, porterCall(porterConfiguration(home)), ANSWER),
  'mcporter, kept': async (_, home, settings) => {
    const given = porterConfiguration(home, 'keep-alive');
    try {
      // The first call starts the process that keeps the server.
      await home.run(porterCall(given), ANSWER);
      return await home.runs(runsOf(settings, 7), porterCall(given), ANSWER);
    } finally {
      await home.run([MCPORTER, ...given, 'daemon', 'stop']);
    }
  },
  'inspector, started anew': (_, home) => {
    const call = ['--method', 'tools/call', '--tool-name', 'get-sum', '--tool-arg', 'a=2', '--tool-arg', 'b=40'];
    return home.runs(1, [INSPECTOR, '--cli', ...SERVER, ...call], ANSWER);
  },
};

const call = (label, subject, way = label) => ({ label, subject, way });

export const c2 = {
  id: 'c2',
  title: 'command line: a call of a tool',
  note: 'From spawning the program to its end. The server is @modelcontextprotocol/server-everything over stdio: started for this call and ended again, or kept by a process that earlier commands have left. The first call of a kept server is not counted. The Inspector keeps none. This server does not end when its input does: Crosspoint sends SIGTERM two seconds later, as the specification asks for some time, which is part of what a server costs that is started anew.',
  metrics: METRICS,
  reference: 'crosspoint, started anew',
  sample: (variant, settings) => inOwnHome((home) => CALLS[variant.way](variant, home, settings)),
  variants: [
    call('crosspoint, started anew', 'crosspoint', 'started anew'),
    call('crosspoint, kept', 'crosspoint', 'kept'),
    call('mcporter, started anew', 'mcporter'),
    call('mcporter, kept', 'mcporter'),
    call('inspector, started anew', 'inspector'),
  ],
  targets: [
    atMost('crosspoint, kept', 'wallMs', 0.2, 'started anew'),
    withinOf('crosspoint, kept', 'wallMs', { other: 'mcporter, kept', unit: 'ms' }),
  ],
};
