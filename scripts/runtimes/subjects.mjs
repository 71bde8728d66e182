import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installProgram } from './install.mjs';
import { run, serve } from './processes.mjs';
import { BUN_VERSION, DENO_VERSION, NODE_VERSIONS, WORKERD_VERSION } from './versions.mjs';

const START_MS = 20_000;
const PROBE_MS = 90_000;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/mcp/;

/** A runtime that is started with a file: the probe inside of it, and the server of its example. */
function fileSubject(name, version, args, program) {
  return {
    name,
    version,
    async prepare(application) {
      const binary = await installProgram(name, version);
      const { output } = await run([binary, '--version'], { cwd: application, limitMs: START_MS });
      if (!output.includes(version)) throw new Error(`it calls itself ${output.trim()}`);
      return {
        async probe(url) {
          const command = [binary, ...args, join('runtimes', 'probe.mjs'), url];
          const { stdout, output } = await run(command, { cwd: application, limitMs: PROBE_MS });
          const line = stdout.split('\n').find((text) => text.startsWith('['));
          if (line === undefined) throw new Error(output.trim().slice(-600));
          return JSON.parse(line);
        },
        async serve() {
          const options = { cwd: application, env: { PORT: '0' }, ready: ADDRESS, limitMs: START_MS };
          const { match, stop } = await serve([binary, ...args, join('examples', 'runtimes', program)], options);
          return { url: match, stop };
        },
      };
    },
  };
}

/** workerd takes one module and a description of its address and of the addresses it may call. */
const WORKER_CONFIGURATION = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "worker", esModule = embed "worker.bundle.js")], compatibilityDate = "2026-01-01")),
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

async function bundleWorker(application) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(application, 'runtimes', 'worker-probe.mjs')],
    outfile: join(application, 'worker.bundle.js'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker'],
    logLevel: 'error',
  });
}

const workerd = {
  name: 'workerd',
  version: WORKERD_VERSION,
  async prepare(application) {
    const binary = await installProgram('workerd', WORKERD_VERSION);
    const start = async () => {
      await bundleWorker(application);
      writeFileSync(join(application, 'worker.capnp'), WORKER_CONFIGURATION);
      // workerd reports its port on the given descriptor.
      const command = [binary, 'serve', '--control-fd=1', 'worker.capnp'];
      const ready = /(?<="event":"listen".*"port":)\d+/;
      const { match, stop, told } = await serve(command, { cwd: application, ready, limitMs: START_MS });
      const origin = `http://127.0.0.1:${match}`;
      return { origin, url: `${origin}/mcp`, stop, told };
    };
    return {
      async probe(url) {
        const { origin, stop, told } = await start();
        try {
          const address = `${origin}/probe?url=${encodeURIComponent(url)}`;
          const answer = await fetch(address, { signal: AbortSignal.timeout(PROBE_MS) });
          if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()} ${told()}`);
          return await answer.json();
        } finally {
          stop();
        }
      },
      serve: start,
    };
  },
};

export const SUBJECTS = [
  ...NODE_VERSIONS.map((version) => fileSubject('node', version, [], 'node.js')),
  fileSubject('bun', BUN_VERSION, [], 'bun.js'),
  fileSubject('deno', DENO_VERSION, ['run', '--allow-all', '--no-prompt'], 'deno.js'),
  workerd,
];
