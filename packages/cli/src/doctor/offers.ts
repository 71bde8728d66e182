import { assertValidSchema } from '@crosspoint/json-schema';
import { Catalogue, toOpenAiTools, tokenReport, visibleLine, type CatalogueTool, type Listing } from '@crosspoint/host';
import { bad, good, skipped, warning, type Finding } from './finding.ts';
import { errorMessage } from '../errors/as-error.ts';

const MAX_SHOWN = 3;
/** Tokens of definitions above which a model is better served by search: a tenth of a context of 200,000. */
const MANY_TOKENS = 20_000;
const API_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The schemas and the size of what a server offers, as models would get it. */
export function examineOffers(server: string, listing: Listing): Finding[] {
  const { tools } = listing;
  if (tools.length === 0)
    return [skipped('schemas', 'The server has no tools.'), skipped('tokens', 'The server has no tools.')];
  const catalogue = new Catalogue();
  catalogue.set(server, listing);
  const found = catalogue.tools();
  return [schemas(found), tokens(found)];
}

function schemas(tools: readonly CatalogueTool[]): Finding {
  const invalid = tools.flatMap(({ tool }) => faultOf(tool.name, tool.inputSchema));
  if (invalid.length > 0)
    return bad(
      'schemas',
      `${invalid.length} schemas are no JSON Schema: ${some(invalid)}`,
      'Mend the schema: it must be a valid JSON Schema with "type": "object" at the top.',
    );
  const { changes } = toOpenAiTools(tools);
  const shaped = changes.filter(({ text }) => !text.startsWith('The description'));
  if (shaped.length > 0)
    return bad(
      'schemas',
      `No API of a model takes these schemas as they are: ${some(shaped.map(({ tool, text }) => `${tool}: ${text}`))}`,
      'Give each tool one object with named arguments at the top; alternatives, references to other addresses and odd names of arguments belong below it or go.',
    );
  const odd = tools.filter(({ tool }) => !API_NAME.test(tool.name)).map(({ tool }) => JSON.stringify(tool.name));
  if (odd.length > 0)
    return warning(
      'schemas',
      `APIs of models do not take these names: ${some(odd)}`,
      'Use letters, digits, "_" and "-", at most 64. Hosts rename such tools.',
    );
  return good('schemas', `The schemas of all ${tools.length} tools can be given to models.`);
}

function faultOf(name: string, schema: unknown): string[] {
  try {
    assertValidSchema(schema);
    return [];
  } catch (error) {
    return [`${name}: ${errorMessage(error)}`];
  }
}

function tokens(tools: readonly CatalogueTool[]): Finding {
  const { total, servers } = tokenReport(tools);
  const words = `The definitions of ${tools.length} tools take about ${total.toLocaleString('en')} tokens of a model's context.`;
  if (total <= MANY_TOKENS) return good('tokens', words);
  const largest =
    servers[0]?.tools.slice(0, MAX_SHOWN).map(({ name, tokens: size }) => `${name} (${size.toLocaleString('en')})`) ??
    [];
  return warning(
    'tokens',
    `${words} The largest: ${largest.map(visibleLine).join(', ')}.`,
    'Shorten the descriptions, or use a host that searches tools (crosspoint chat --search).',
  );
}

const some = (list: readonly string[]): string => {
  const shown = list
    .slice(0, MAX_SHOWN)
    .map((text) => visibleLine(text).slice(0, 300))
    .join(' ');
  return list.length > MAX_SHOWN ? `${shown} … and ${list.length - MAX_SHOWN} more.` : shown;
};
