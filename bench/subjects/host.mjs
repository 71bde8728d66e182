// Runs one part of one subject in a process of its own:  node host.mjs <subject> <part> <options as JSON>
// The part's `start(options)` gives the port it listens on, if it does, and commands that may be called from outside.
// A part that is a client gives `call(name, args)` instead, which is then called in a loop.
// Commands come and are answered over the channel to the process that started this one, and so does the time used.
import { callLoop } from '../measure/call-loop.mjs';
import { startProfile, stopProfile } from '../measure/profiler.mjs';

const [subject, part, options = '{}'] = process.argv.slice(2);

const usage = () => {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { cpu: user + system, rss, heapUsed, external, peakRssMb: process.resourceUsage().maxRSS / 1024 };
};

/** Collects garbage, so that only live memory is measured. Needs --expose-gc. */
async function settle() {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return usage();
}

const { start } = await import(`./${subject}/${part}.mjs`);
const { port, call, commands = {} } = (await start(JSON.parse(options))) ?? {};
const run = (plan) => callLoop(call, plan);
const offered = { usage, settle, startProfile, stopProfile, ...(call ? { run } : {}), ...commands };

async function obey({ id, command, argument }) {
  try {
    process.send({ id, result: await offered[command](argument) });
  } catch (error) {
    process.send({ id, error: error.stack ?? String(error) });
  }
}

if (process.send) {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => void obey(message));
  process.send({ ready: true, port });
}
