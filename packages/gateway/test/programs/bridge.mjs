// The program, with two things for tests: it can show the options of its bridge, and make a mistake.
import { bridge } from '@crosspoint/gateway';
import { runBridge } from '@crosspoint/gateway/program';

const { SHOW_OPTIONS, CRASH_AFTER_MS } = process.env;
function make(upstream, options) {
  const shown = { ...options, keys: options.keys?.length, store: undefined };
  if (SHOW_OPTIONS) process.stderr.write(`options ${JSON.stringify(shown)}\n`);
  if (CRASH_AFTER_MS)
    setTimeout(() => {
      throw new Error('A mistake of the program.');
    }, Number(CRASH_AFTER_MS));
  return bridge(upstream, options);
}

process.exit(await runBridge(process.argv.slice(2), make));
