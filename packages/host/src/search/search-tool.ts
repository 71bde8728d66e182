import type { CatalogueTool } from '../catalogue/catalogue.ts';
import { visibleLine } from '../values/visible-text.ts';
import type { ToolSearch } from './tool-search.ts';

/** The name of the search tool. Names of the catalogue have `__` in them, so no server can take it. */
export const SEARCH_TOOL = 'search_tools';

/** The longest description that every API takes is 1,024 characters. */
const MAX_DESCRIPTION = 1000;
/** A purpose that is cut shorter than this says nothing. */
const LEAST_PURPOSE = 24;
const MAX_PURPOSE = 120;
const MAX_SERVER = 64;
const NAMED_TOOLS = 4;
/** Tools of a server that are looked at for those. */
const MOST_LOOKS = 50;
const MAX_LINE = 160;

const INTRO = `Finds tools by words and loads them: from then on they can be called. Say in a few words what is to be done, or give the name of a tool. \
Look here before you say that something cannot be done. Servers that have tools, in their own words:`;

/** The tool by which a model finds others, as an item of the catalogue, so that it is exported as every other tool is. */
export async function searchTool(name: string, search: ToolSearch): Promise<CatalogueTool> {
  const servers = await serversIn(search);
  return {
    name,
    server: '',
    isForModel: true,
    isForApps: false,
    isStale: false,
    tool: {
      name,
      title: 'Search tools',
      description: `${INTRO}\n${serverLines(servers, MAX_DESCRIPTION - INTRO.length - 1)}`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'A few words about what is to be done' },
          servers: {
            type: 'array',
            items: { type: 'string' },
            description: 'Names of servers, to find tools of these alone',
          },
        },
        required: ['query'],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
  };
}

interface ServerInView {
  readonly name: string;
  readonly purpose: string;
}

/** The servers that have tools which the model may be shown, by name, each with the first sentence of its instructions, or some of its tools. */
async function serversIn(search: ToolSearch): Promise<readonly ServerInView[]> {
  const { catalogue } = search.host;
  const found = catalogue.servers().map(async (name): Promise<ServerInView[]> => {
    const tools = await someTools(search, name);
    if (tools.length === 0) return [];
    const sentence = firstSentence(catalogue.listingOf(name)?.instructions ?? '');
    const named = tools.map(({ tool }, at) => (at === NAMED_TOOLS ? '…' : (tool.title ?? tool.name)));
    return [{ name, purpose: sentence === '' ? named.join(', ') : sentence }];
  });
  return (await Promise.all(found)).flat().sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The first tools of a server that the model may be shown: one more than are named. */
async function someTools(search: ToolSearch, server: string): Promise<readonly CatalogueTool[]> {
  const some: CatalogueTool[] = [];
  let looks = 0;
  for (const tool of search.host.catalogue.toolsOf(server)) {
    if (some.length > NAMED_TOOLS || looks === MOST_LOOKS) break;
    if (search.effectOf(tool) === 'deny') continue;
    looks += 1;
    if (await search.isVisible(tool)) some.push(tool);
  }
  return some;
}

/** The servers with what each is for, as far as there is room: purposes are cut alike, then left out, then names. */
function serverLines(servers: readonly ServerInView[], room: number): string {
  if (servers.length === 0) return '(none at the moment)';
  const names = servers.map(({ name }) => cut(name, MAX_SERVER));
  const taken = names.reduce((sum, name) => sum + name.length + '- : \n'.length, 0);
  const each = Math.min(MAX_PURPOSE, Math.floor((room - taken) / names.length));
  if (each >= LEAST_PURPOSE)
    return names.map((name, at) => `- ${name}: ${cut(servers[at]?.purpose ?? '', each)}`).join('\n');
  let text = '';
  for (const [at, name] of names.entries()) {
    const rest = `, and ${names.length - at} more`;
    const longer = `${text}${text === '' ? '' : ', '}${name}`;
    if (longer.length + rest.length > room) return `${text}${rest}`;
    text = longer;
  }
  return text;
}

/** A found tool on a line for the model. */
export function toolLine({ name, tool }: CatalogueTool): string {
  const sentence = firstSentence(tool.description ?? tool.title ?? '');
  return sentence === '' ? `- ${name}` : `- ${name}: ${cut(sentence, MAX_LINE)}`;
}

/** The text up to its first full stop or line end. */
function firstSentence(text: string): string {
  const start = text.slice(0, MAX_LINE * 4).trimStart();
  const end = /[.!?](?=\s)|\n/.exec(start);
  return (end === null ? start : start.slice(0, end.index + 1)).trim();
}

/** A text of a server on one line, of at most so many characters. */
export function cut(text: string, most: number): string {
  const line = visibleLine(text.slice(0, most + 1));
  return line.length <= most ? line : `${line.slice(0, Math.max(0, most - 1))}…`;
}
