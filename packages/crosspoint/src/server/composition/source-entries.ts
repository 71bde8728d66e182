import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { CompletionReference } from '../../protocol/completion.ts';
import { text } from '../../protocol/content.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { readMirroredParams } from '../../protocol/mirrored-params.ts';
import type { Prompt } from '../../protocol/prompts.ts';
import type { Resource, ResourceTemplateDefinition } from '../../protocol/resources.ts';
import type { Tool } from '../../protocol/tools.ts';
import type { ServerContext } from '../calls/context.ts';
import { isThenable } from '../calls/handler.ts';
import { suggestBy, type Completer } from '../offering/completable.ts';
import type { Entry, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../offering/registry.ts';
import { ResourceTemplate } from '../offering/resource-template.ts';
import { taskIn } from './task-answer.ts';
import type { MountedEntries } from './entries.ts';
import type { ServerSource, SourceOffers } from './source.ts';

/** Most tools, resources, templates and prompts, each, of a source for one caller. */
const MAX_ITEMS = 10_000;

/** How the offers of a source become entries. */
export interface EntryRules {
  readonly rename: (name: string) => string;
  /** Position in lists; decided later when absent. */
  readonly order?: number;
  /** Takes the fault of an offer that cannot be used, which is then left out; the fault is thrown when absent. */
  readonly onfault?: (fault: Error) => void;
}

/** The offers of a source as entries of a server. The source checks arguments and results itself. */
export function sourceEntries(source: ServerSource, offers: SourceOffers, rules: EntryRules): MountedEntries {
  const { tools = [], resources = [], resourceTemplates = [], prompts = [] } = offers;
  const { rename } = rules;
  const renamed = ({ name }: { readonly name: unknown }): string => {
    if (typeof name !== 'string') throw new TypeError('A source offers something without a name.');
    return rename(name);
  };
  return {
    tools: keyed(tools, renamed, rules, (tool, name) => toolEntry(source, tool, name)),
    resources: keyed(
      resources,
      ({ uri }) => uri,
      rules,
      (resource) => resourceEntry(source, resource),
    ),
    templates: keyed(resourceTemplates, renamed, rules, (template, name) => templateEntry(source, template, name)),
    prompts: keyed(prompts, renamed, rules, (prompt, name) => promptEntry(source, prompt, name)),
  };
}

/** The entries of one list by their keys. The first of several with one key counts where faults are taken, otherwise the last. */
function keyed<Item, E extends Entry>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { order, onfault }: EntryRules,
  make: (item: Item, key: string) => E,
): Map<string, E> {
  const entries = new Map<string, E>();
  if (onfault === undefined) {
    for (const item of items) entries.set(keyOf(item), make(item, keyOf(item)));
    return entries;
  }
  if (items.length > MAX_ITEMS) onfault(new Error(`More than ${MAX_ITEMS} entries in one list: the rest is left out.`));
  for (const [index, item] of items.slice(0, MAX_ITEMS).entries()) {
    try {
      const key = keyOf(item);
      if (entries.has(key)) throw new Error(`"${key}" is offered twice.`);
      entries.set(key, { ...make(item, key), ...(order !== undefined && { order, index }) });
    } catch (error) {
      onfault(error as Error);
    }
  }
  return entries;
}

const PLACE: Entry = { order: 0, enabled: true, visible: undefined };

function toolEntry(source: ServerSource, definition: Tool, name: string): ToolEntry {
  const mirrored = readMirroredParams(definition.inputSchema);
  if (!mirrored.ok) throw new TypeError(`The input schema of ${name}: ${mirrored.fault}.`);
  const { execution: _, ...plain } = definition;
  return {
    ...PLACE,
    // A source answers calls; it cannot promise that they run as tasks.
    definition: { ...plain, name },
    input: undefined,
    output: undefined,
    mirrored: mirrored.params,
    task: undefined,
    run: (args, ctx) => {
      if (source.callTool === undefined) return unanswered('tools/call');
      const call = { name: definition.name, arguments: isJsonObject(args) ? args : {} };
      const answer = source.callTool(call, ctx);
      return isThenable(answer) ? answer.then((given) => settled(given, ctx)) : settled(answer, ctx);
    },
  };
}

/** Ends the call with the task that the source answered with; every other answer is returned. */
function settled(answer: unknown, ctx: ServerContext): unknown {
  const task = taskIn(answer);
  if (task === undefined) return answer;
  void ctx.call.takeOver({ kind: 'outcome', outcome: { kind: 'task', task } });
  // Not sent: the call is over.
  return text('');
}

function resourceEntry(source: ServerSource, definition: Resource): ResourceEntry {
  return {
    ...PLACE,
    definition,
    hints: undefined,
    read: (_uri, ctx) =>
      source.readResource ? source.readResource({ uri: definition.uri }, ctx) : unanswered('resources/read'),
  };
}

function templateEntry(source: ServerSource, definition: ResourceTemplateDefinition, name: string): TemplateEntry {
  const { uriTemplate } = definition;
  const bare = new ResourceTemplate(uriTemplate, { list: undefined });
  const complete = completers(source, { type: 'ref/resource', uri: uriTemplate }, bare.uriTemplate.variableNames);
  return {
    ...PLACE,
    definition: { ...definition, name },
    template: new ResourceTemplate(uriTemplate, { list: undefined, complete: Object.fromEntries(complete) }),
    hints: undefined,
    acceptsUnsafeVariables: false,
    read: (uri, _variables, ctx) =>
      source.readResource ? source.readResource({ uri: uri.href }, ctx) : unanswered('resources/read'),
  };
}

function promptEntry(source: ServerSource, definition: Prompt, name: string): PromptEntry {
  const names = (definition.arguments ?? []).map((argument) => argument.name);
  const complete = completers(source, { type: 'ref/prompt', name: definition.name }, names);
  return {
    ...PLACE,
    definition: { ...definition, name },
    args: undefined,
    completers: new Map(Array.from(complete, ([argument, completer]) => [argument, suggestBy(completer)])),
    run: (args, ctx) =>
      source.getPrompt
        ? source.getPrompt({ name: definition.name, arguments: args as Record<string, string> }, ctx)
        : unanswered('prompts/get'),
  };
}

function completers(source: ServerSource, ref: CompletionReference, names: readonly string[]): Map<string, Completer> {
  if (source.complete === undefined) return new Map();
  return new Map(
    names.map((name) => [
      name,
      async (value, context, ctx) => {
        const params = { ref, argument: { name, value }, ...(context && { context }) };
        const result = await source.complete?.(params, ctx);
        return result?.completion.values ?? [];
      },
    ]),
  );
}

function unanswered(method: string): Promise<JsonObject> {
  return Promise.reject(
    new ProtocolError('method-not-found', `The source that offers this does not answer ${method}.`),
  );
}
