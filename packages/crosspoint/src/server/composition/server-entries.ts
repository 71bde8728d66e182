import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import { getPrompt } from '../features/prompts.ts';
import type { Registry, ToolEntry } from '../offering/registry.ts';
import { readResource } from '../features/resources.ts';
import { callTool } from '../features/tools.ts';
import type { MountedEntries } from './entries.ts';
import type { MountableServer } from './mountable.ts';
import { withOwnMiddleware } from './own-middleware.ts';

type Answer = (registry: Registry, request: HandledRequest, ctx: ServerContext) => JsonObject | Promise<JsonObject>;

/** The offers of a server as entries of another: with visibility, scopes and task support. There is no connection between the two. */
export function serverEntries(
  server: Pick<MountableServer, 'core' | 'registry'>,
  rename: (name: string) => string,
): MountedEntries {
  const { tools, resources, templates, prompts } = server.registry();
  const answered = (answer: Answer, request: HandledRequest, ctx: ServerContext): JsonObject | Promise<JsonObject> => {
    const last = (params: JsonObject): JsonObject | Promise<JsonObject> =>
      answer(server.registry(), { ...request, params }, ctx);
    return server.core.chain === undefined ? last(request.params) : withOwnMiddleware(server.core, ctx, request, last);
  };
  return {
    tools: renamed(tools, rename, (entry, name) => ({
      ...entry,
      definition: { ...entry.definition, name: rename(name) },
      input: undefined,
      output: undefined,
      task: taskOf(entry),
      run: (args, ctx) => answered(callTool, { method: 'tools/call', params: { name, arguments: args } }, ctx),
    })),
    resources: renamed(
      resources,
      (uri) => uri,
      (entry, uri) => ({
        ...entry,
        read: (_url, ctx) => answered(readResource, { method: 'resources/read', params: { uri } }, ctx),
      }),
    ),
    templates: renamed(templates, rename, (entry, name) => ({
      ...entry,
      definition: { ...entry.definition, name: rename(name) },
      read: (url, _variables, ctx) =>
        answered(readResource, { method: 'resources/read', params: { uri: url.href } }, ctx),
    })),
    prompts: renamed(prompts, rename, (entry, name) => ({
      ...entry,
      definition: { ...entry.definition, name: rename(name) },
      args: undefined,
      run: (args, ctx) => answered(getPrompt, { method: 'prompts/get', params: { name, arguments: args } }, ctx),
    })),
  };
}

function renamed<E>(
  entries: ReadonlyMap<string, E>,
  rename: (name: string) => string,
  mount: (entry: E, name: string) => E,
): Map<string, E> {
  return new Map([...entries].map(([name, entry]) => [rename(name), mount(entry, name)]));
}

/** Refuses a tool that keeps its tasks in the store of its own server. */
function taskOf({ task, definition }: ToolEntry): ToolEntry['task'] {
  if (task?.isOwn === true)
    throw new TypeError(
      `The tool "${definition.name}" makes its tasks itself, in the store of its server: it cannot be mounted.`,
    );
  return task;
}
