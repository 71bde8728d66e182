import { annotationsFault } from '../../protocol/content.ts';
import { cacheHintsFault } from '../../protocol/listing.ts';
import { isAbsoluteUri, type Resource } from '../../protocol/resources.ts';
import { readMirroredParams } from '../../protocol/mirrored-params.ts';
import type { Prompt } from '../../protocol/prompts.ts';
import type { Tool } from '../../protocol/tools.ts';
import { prepareSchema } from '../../schema/documents/prepare-schema.ts';
import type { AnySchema } from '../../schema/schema.ts';
import { requireObjectRoot } from '../../schema/require-object-root.ts';
import { zeroParameters } from '../../schema/documents/prepare-schema.ts';
import { completersOf } from './completable.ts';
import { argumentsOf } from '../features/prompts.ts';
import type { Entry, PromptEntry, ResourceEntry, ToolEntry } from './registry.ts';
import type { PromptConfig, ReadResourceCallback, ResourceConfig, ToolConfig } from './registrations.ts';
import type { ToolTaskOptions } from '../tasks/task-options.ts';

/** Members of an entry that the catalogue sets, not the author. */
export type Placement = Pick<Entry, 'order' | 'enabled'>;

export type AnyToolConfig = ToolConfig<AnySchema | undefined, AnySchema | undefined>;
export type AnyPromptConfig = PromptConfig<AnySchema | undefined>;
export type AnyCallback = (...args: never[]) => unknown;

/** The members that all entries have. */
export function entryOf(
  { order, enabled }: Placement,
  { visible, scopes }: Partial<Pick<Entry, 'visible' | 'scopes'>>,
): Entry {
  return { order, enabled, visible, scopes };
}

/** Copies the members that are set: an absent member must not become an explicit `undefined` on the wire. */
export function present<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) if (from[key] !== undefined) picked[key] = from[key];
  return picked;
}

export function compileTool(
  name: string,
  config: AnyToolConfig,
  callback: AnyCallback,
  placement: Placement,
): ToolEntry {
  if (typeof name !== 'string' || name === '') throw new TypeError('A tool needs a name: a text that is not empty.');
  // `null` is no schema: preparing it throws.
  const input = config.inputSchema === undefined ? undefined : prepareSchema(config.inputSchema, 'input');
  const output = config.outputSchema === undefined ? undefined : prepareSchema(config.outputSchema, 'output');
  const inputSchema = input ? requireObjectRoot(input.json, `The input schema of ${name}`) : zeroParameters;
  const mirrored = readMirroredParams(inputSchema);
  if (!mirrored.ok) throw new TypeError(`The input schema of ${name}: ${mirrored.fault}.`);
  const task = taskOptionsOf(name, config);
  const definition = {
    name,
    ...present(config, ['title', 'description', 'icons']),
    inputSchema,
    ...(output && { outputSchema: output.json }),
    ...present(config, ['annotations', 'execution', '_meta']),
    ...(task && { execution: { ...config.execution, taskSupport: task.support } }),
  } as Tool;
  const run = callback as (...args: unknown[]) => unknown;
  return {
    ...entryOf(placement, config),
    definition,
    input,
    output,
    mirrored: mirrored.params,
    task: task?.support === 'forbidden' ? undefined : task,
    run: input ? run : (_args, ctx) => run(ctx),
  };
}

const SUPPORTS: ReadonlySet<unknown> = new Set(['forbidden', 'optional', 'required']);

function taskOptionsOf(name: string, { task, execution }: AnyToolConfig): ToolTaskOptions | undefined {
  const support = execution?.taskSupport;
  const options = typeof task === 'string' ? { support: task } : (task ?? (support && { support }));
  if (options === undefined) return undefined;
  if (!SUPPORTS.has(options.support))
    throw new TypeError(`The task support of ${name} is "forbidden", "optional" or "required".`);
  if (support !== undefined && support !== options.support)
    throw new TypeError(
      `The tool ${name} has task "${options.support}" and execution.taskSupport "${support}": give one.`,
    );
  return options;
}

export function compileResource(
  name: string,
  uri: string,
  config: ResourceConfig,
  from: { callback: ReadResourceCallback; placement: Placement },
): ResourceEntry {
  if (config.acceptInvalidUri !== true && !isAbsoluteUri(uri))
    throw new TypeError(`The resource ${name} needs an absolute URI (RFC 3986); this is "${uri}".`);
  refuseFaults(name, config);
  const definition: Resource = {
    uri,
    name,
    ...present(config, ['title', 'description', 'mimeType', 'size', 'icons', 'annotations', '_meta']),
  };
  return {
    ...entryOf(from.placement, config),
    definition,
    hints: config.cache,
    read: from.callback,
  };
}

/** Throws for wrong annotations or cache hints. */
export function refuseFaults(
  name: string,
  { annotations, cache }: Pick<ResourceConfig, 'annotations' | 'cache'>,
): void {
  const fault = (annotations && annotationsFault(annotations)) ?? (cache && cacheHintsFault(cache));
  if (fault !== undefined) throw new TypeError(`The resource ${name}: ${fault}.`);
}

export function compilePrompt(
  name: string,
  config: AnyPromptConfig,
  callback: AnyCallback,
  placement: Placement,
): PromptEntry {
  if (typeof name !== 'string' || name === '') throw new TypeError('A prompt needs a name: a text that is not empty.');
  const args = config.argsSchema === undefined ? undefined : prepareSchema(config.argsSchema, 'input');
  const definition: Prompt = {
    name,
    ...present(config, ['title', 'description', 'icons']),
    ...(args && { arguments: argumentsOf(args.json) }),
    ...present(config, ['_meta']),
  };
  const run = callback as (...args: unknown[]) => unknown;
  return {
    ...entryOf(placement, config),
    definition,
    args,
    completers: config.argsSchema ? completersOf(config.argsSchema) : new Map(),
    run: args ? run : (_args, ctx) => run(ctx),
  };
}
