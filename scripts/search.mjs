// Asks fifty questions of users of the tools of published servers, and says how many find their tool, and what the search saves.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Host } from '@crosspoint/host';
import { ToolSearch, ToolView } from '@crosspoint/host/search';
import { ROOT } from './packages.mjs';
import { answersOf, outcomeOf, tokenTable } from './search/outcome.mjs';
import { SEARCHED, listPublished } from './search/published-tools.mjs';

const HELP = `Asks the questions of scripts/search/questions.json of the tools of published servers.

  npm run search                            asks all of them
  npm run search -- "rename the branch"     asks this instead, and prints what is found

The servers are installed as npm run peers does it, and started without a network and without accounts. A question has found its tool when it is the first
one, and among the first three. Ends with 1 when fewer than 75 % are first or fewer than 90 % among the first three, or a server cannot be listed.
The thirty questions of scripts/search/held-out.json are asked, too, and only counted: do not tune the ranking to them.`;

const LANES = 3;
const read = (file) => JSON.parse(readFileSync(join(ROOT, 'scripts', 'search', file), 'utf8'));

/** A host whose catalogue has the tools of all servers. */
async function hostOfPublished() {
  const host = new Host({ name: 'search', version: '1.0.0' });
  const names = Object.keys(SEARCHED);
  const listings = new Map();
  const failed = [];
  const lane = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      try {
        listings.set(name, await listPublished(name));
      } catch (error) {
        failed.push(`${name} (${SEARCHED[name]}) cannot be listed: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  // In the order of the table, so that a run does not depend on which server was fast.
  for (const name of Object.keys(SEARCHED)) {
    const listing = listings.get(name);
    if (listing !== undefined) host.catalogue.set(name, { prompts: [], resources: [], templates: [], ...listing });
  }
  return { host, failed };
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', short: 'h', default: false } },
    allowPositionals: true,
  });
  if (values.help) return console.log(HELP);
  const { host, failed } = await hostOfPublished();
  for (const text of failed) console.log(text);
  const search = new ToolSearch(host);
  const tools = host.catalogue.tools();
  console.log(`${tools.length} tools of ${host.catalogue.servers().length} servers`);
  if (positionals.length > 0)
    for (const { tool, score } of await search.search(positionals.join(' '))) console.log(score.toFixed(1), tool.name);
  else {
    const questions = read('questions.json');
    const outcome = outcomeOf(await answersOf(search, questions));
    console.log(outcome.lines.join('\n'));
    const heldOut = outcomeOf(await answersOf(search, read('held-out.json')));
    console.log(`\nThirty questions that nothing is tuned to:\n${heldOut.lines.join('\n')}`);
    const newView = () => new ToolView(search);
    console.log(`\n${await tokenTable(host, newView, questions)}`);
    if (!outcome.isGood) process.exitCode = 1;
  }
  search.close();
  await host.close();
  if (failed.length > 0) process.exitCode = 1;
}

await main();
