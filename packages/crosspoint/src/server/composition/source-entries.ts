import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { CompletionReference } from '../../protocol/completion.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { readMirroredParams } from '../../protocol/mirrored-params.ts';
import type { Prompt } from '../../protocol/prompts.ts';
import type { Resource, ResourceTemplateDefinition } from '../../protocol/resources.ts';
import type { Tool } from '../../protocol/tools.ts';
import type { Completer } from '../offering/completable.ts';
import type { Entry, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../offering/registry.ts';
import { ResourceTemplate } from '../offering/resource-template.ts';
import type { MountedEntries } from './entries.ts';
import type { ServerSource, SourceOffers } from './source.ts';

const PLACE: Entry = { order: 0, enabled: true, visible: undefined };

/** The offers of a source as entries of a server. The source checks arguments and results itself. */
export function sourceEntries(
  source: ServerSource,
  offers: SourceOffers,
  rename: (name: string) => string,
): MountedEntries {
  const { tools = [], resources = [], resourceTemplates = [], prompts = [] } = offers;
  return {
    tools: new Map(tools.map((tool) => [rename(tool.name), toolEntry(source, tool, rename(tool.name))])),
    resources: new Map(resources.map((resource) => [resource.uri, resourceEntry(source, resource)])),
    templates: new Map(
      resourceTemplates.map((template) => [
        rename(template.name),
        templateEntry(source, template, rename(template.name)),
      ]),
    ),
    prompts: new Map(prompts.map((prompt) => [rename(prompt.name), promptEntry(source, prompt, rename(prompt.name))])),
  };
}

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
    run: (args, ctx) =>
      source.callTool
        ? source.callTool({ name: definition.name, arguments: isJsonObject(args) ? args : {} }, ctx)
        : unanswered('tools/call'),
  };
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
  return {
    ...PLACE,
    definition: { ...definition, name },
    args: undefined,
    completers: completers(source, { type: 'ref/prompt', name: definition.name }, names),
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
      async (value, context) => {
        const params = { ref, argument: { name, value }, ...(context && { context }) };
        const result = await source.complete?.(params);
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
