import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { hasCapability } from '../../protocol/capabilities.ts';
import { isAbsoluteUri } from '../../protocol/resources.ts';
import { assertValidSchema } from '@crosspoint/json-schema';
import { UriTemplate } from '../../wire/uri-template.ts';
import { show } from '../match-value.ts';
import { ensureError, ensureResult } from './expected-answers.ts';
import { ensure, NothingToCheck, type CheckContext, type Rule } from './rule.ts';
import { errorMessage } from '../../runtime/guard.ts';

interface Listing {
  readonly capability: string;
  readonly method: string;
  /** The member of the result that holds the items, and the member that identifies an item. */
  readonly items: string;
  readonly key: string;
}

const LISTINGS: readonly Listing[] = [
  { capability: 'tools', method: 'tools/list', items: 'tools', key: 'name' },
  { capability: 'prompts', method: 'prompts/list', items: 'prompts', key: 'name' },
  { capability: 'resources', method: 'resources/list', items: 'resources', key: 'uri' },
  { capability: 'resources', method: 'resources/templates/list', items: 'resourceTemplates', key: 'uriTemplate' },
];

const BAD_CURSOR = 'crosspoint-no-such-cursor';

/** All pages of a list. Throws `Broken` for one that does not end. */
export async function itemsOf(
  context: CheckContext,
  { method, items }: Pick<Listing, 'method' | 'items'>,
): Promise<JsonObject[]> {
  const { probe, maxPages } = context;
  const found: JsonObject[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined, page = 1; ; page += 1) {
    ensure(page <= maxPages, `${method} does not end: it has more than ${maxPages} pages`);
    const result = ensureResult(await probe.request(method, cursor === undefined ? {} : { cursor }), method);
    const listed = result[items];
    ensure(Array.isArray(listed) && listed.every(isJsonObject), `${method} gave no list of ${items}: ${show(result)}`);
    found.push(...listed);
    const { nextCursor } = result;
    if (nextCursor === undefined) return found;
    ensure(typeof nextCursor === 'string', `${method} gave a nextCursor that is no text: ${show(nextCursor)}`);
    ensure(!seen.has(nextCursor), `${method} does not end: it gave the cursor ${show(nextCursor)} twice`);
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}

function declared({ probe, revision }: CheckContext): Listing[] {
  const found = LISTINGS.filter(
    ({ capability, method }) => hasCapability(probe.capabilities, capability) && revision.methods.has(method),
  );
  if (found.length === 0) throw new NothingToCheck('the server has no lists');
  return found;
}

function listing(context: CheckContext, items: string): Listing {
  const found = declared(context).find((one) => one.items === items);
  if (found === undefined) throw new NothingToCheck(`the server has no ${items}`);
  return found;
}

function ensureSchema(schema: unknown, what: string): void {
  try {
    assertValidSchema(schema);
  } catch (error) {
    ensure(false, `${what}: ${errorMessage(error)}`);
  }
}

function ensureToolDefinition(tool: JsonObject, mayBeAnything: boolean): void {
  const { name, inputSchema, outputSchema } = tool;
  ensure(typeof name === 'string' && name !== '', `a tool without a name: ${show(tool)}`);
  ensure(
    isJsonObject(inputSchema) && inputSchema['type'] === 'object',
    `the input schema of "${name}" is not of type "object"`,
  );
  ensureSchema(inputSchema, `the input schema of "${name}" is not valid`);
  if (outputSchema === undefined) return;
  ensureSchema(outputSchema, `the output schema of "${name}" is not valid`);
  if (!mayBeAnything)
    ensure(
      isJsonObject(outputSchema) && outputSchema['type'] === 'object',
      `the output schema of "${name}" is not of type "object", which this revision needs`,
    );
}

function ensurePromptDefinition(prompt: JsonObject): void {
  const { name, arguments: given = [] } = prompt;
  ensure(typeof name === 'string' && name !== '', `a prompt without a name: ${show(prompt)}`);
  ensure(
    Array.isArray(given) && given.every((one) => isJsonObject(one) && typeof one['name'] === 'string'),
    `the arguments of the prompt "${name}" are no list of named ones`,
  );
}

export const LIST_RULES: readonly Rule[] = [
  {
    id: 'lists',
    level: 'must',
    text: 'Every list that is declared is given, ends, and names nothing twice.',
    check: async (context) => {
      for (const one of declared(context)) {
        const keys = (await itemsOf(context, one)).map((item) => item[one.key]);
        const twice = keys.find((key, index) => keys.indexOf(key) !== index);
        ensure(twice === undefined, `${one.method} lists ${show(twice)} twice`);
      }
    },
  },
  {
    id: 'cursors',
    level: 'should',
    text: 'A cursor that was never given is answered with the error -32602.',
    check: async (context) => {
      for (const { method } of declared(context))
        ensureError(
          await context.probe.request(method, { cursor: BAD_CURSOR }),
          -32_602,
          `${method} with an unknown cursor`,
        );
    },
  },
  {
    id: 'tools',
    level: 'must',
    text: 'A tool has a name and valid JSON Schemas, its input being an object.',
    check: async (context) => {
      const { structuredContent } = context.revision;
      for (const tool of await itemsOf(context, listing(context, 'tools')))
        ensureToolDefinition(tool, structuredContent === 'any');
    },
  },
  {
    id: 'prompts',
    level: 'must',
    text: 'A prompt has a name, and so has each of its arguments.',
    check: async (context) => {
      for (const prompt of await itemsOf(context, listing(context, 'prompts'))) ensurePromptDefinition(prompt);
    },
  },
  {
    id: 'resources',
    level: 'must',
    text: 'A resource has a name and an absolute URI, a template a name and a valid URI template.',
    check: async (context) => {
      for (const { name, uri } of await itemsOf(context, listing(context, 'resources'))) {
        ensure(typeof name === 'string', `a resource without a name: ${show(uri)}`);
        ensure(
          typeof uri === 'string' && isAbsoluteUri(uri),
          `the resource ${show(name)} has no absolute URI: ${show(uri)}`,
        );
      }
      for (const { name, uriTemplate } of await itemsOf(context, listing(context, 'resourceTemplates'))) {
        ensure(typeof name === 'string', `a resource template without a name: ${show(uriTemplate)}`);
        ensure(isTemplate(uriTemplate), `the template ${show(name)} is no URI template: ${show(uriTemplate)}`);
      }
    },
  },
];

function isTemplate(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    return new UriTemplate(value).toString() !== '';
  } catch {
    return false;
  }
}
