// The client for the official conformance suite: node conformance/client.mjs <url> plays the scenario that the suite names in the
// environment against the suite's server at that address. The server's revision is negotiated, not read from the environment.
import { SCENARIOS } from './client/scenarios.mjs';

/** Shorter than the limit of the suite, which ends only the shell around this program. */
const LIMIT_MS = 25_000;

const url = process.argv.at(-1);
const name = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');

setTimeout(() => {
  console.error(`${name} did not end within ${LIMIT_MS / 1000} s.`);
  process.exit(1);
}, LIMIT_MS).unref();

const play = SCENARIOS.get(name);
if (play === undefined) {
  console.error(`There is nothing here for the scenario "${name}".`);
  process.exit(1);
}
await play(url, context);
