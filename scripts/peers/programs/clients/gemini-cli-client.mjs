// The program needs a model for everything but this: it connects to each server that is configured, and pings it.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { configure, runProgram } from './command-line.mjs';
import { tell, url } from './steps.mjs';

configure(
  join(homedir(), '.gemini', 'settings.json'),
  { security: { folderTrust: { enabled: false } } },
  { httpUrl: url },
);
await tell({
  ping: async () => {
    const said = await runProgram('@google/gemini-cli/bundle/gemini.js', ['mcp', 'list']);
    return said.includes('- Connected') ? 'ok' : said.trim();
  },
});
