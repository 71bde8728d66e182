// A search in the tools of a host: `tools` of them spread over `servers`, each with a name, a description and two arguments of its own words.
import { Host } from '@crosspoint/host';
import { ToolSearch } from '@crosspoint/host/search';

const VERBS =
  'create read update delete list search archive export import share move copy rename send approve cancel'.split(' ');
const MORE = 'open close merge split tag rate book print scan sign check convert compare count watch plan'.split(' ');
const SYLLABLES = 'ba ce di fo gu ka le mi no pu ra se ti vo wu za'.split(' ');

/** One of 4,096 words that mean nothing. */
const noun = (at) => [at >> 8, at >> 4, at].map((part) => SYLLABLES[part & 15]).join('');

function makeTool(at) {
  const verbs = [...VERBS, ...MORE];
  const [verb, first, second] = [verbs[at % verbs.length], noun((at * 7919) % 4096), noun((at * 104_729) % 4096)];
  return {
    name: `${verb}_${first}_${noun((at * 31 + Math.floor(at / 4096) * 977) % 4096)}`,
    description: `${verb} a ${first} of the ${second}, with the ${noun(at % 4096)} that belongs to it. Use it when the user asks for a ${first}.`,
    inputSchema: {
      type: 'object',
      properties: {
        [`${second}_id`]: { type: 'string', description: `The number of the ${second}` },
        limit: { type: 'number', description: 'How many at most' },
      },
    },
  };
}

const listing = (tools) => ({ tools, prompts: [], resources: [], templates: [] });

export async function start({ servers, tools }) {
  const host = new Host({ name: 'bench', version: '1.0.0', policy: { rules: [{ effect: 'deny', tool: 'delete_*' }] } });
  const search = new ToolSearch(host);
  const made = Array.from({ length: tools }, (_, at) => makeTool(at));
  const of = (server) => made.filter((_, at) => at % servers === server);
  for (let server = 0; server < servers; server += 1) host.catalogue.set(`s${server}`, listing(of(server)));
  const { length } = host.catalogue.tools();
  if (length !== tools) throw new Error(`The host has ${length} tools in place of ${tools}.`);
  let at = 0;
  const next = () => (at = (at + 7919) % made.length);
  /** A sentence about a tool, in which some words are not its own. */
  const question = (tool) => `please ${tool.name.replaceAll('_', ' ')} of my last order, and show it`;
  return {
    commands: {
      async search({ searches }) {
        for (let left = searches; left > 0; left -= 1) {
          const found = await search.search(question(made[next()]));
          if (found.length === 0) throw new Error('Nothing was found.');
        }
      },
    },
  };
}
