import type { ClientCapabilities, ServerCapabilities } from 'crosspoint/client';

type Family = 'handshake' | 'per-request';

/** Id of the tasks extension, which each hop declares for itself. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The capabilities of a client, as the server behind the bridge is told of them. Tasks of the extension are the bridge's own to declare. */
export function upstreamCapabilities(declared: ClientCapabilities, from: Family, to: Family): ClientCapabilities {
  const { roots, tasks, extensions, ...others } = declared;
  const rest = withoutTasks(extensions);
  const isLive = from === 'handshake' && to === 'handshake';
  return {
    ...others,
    ...(roots && { roots: isLive ? roots : {} }),
    ...(tasks && isLive && { tasks }),
    ...(rest && { extensions: rest }),
  };
}

/** The capabilities of the server, as a client of the bridge is told of them. Each revision drops what it has no word for. */
export function downstreamCapabilities(declared: ServerCapabilities): ServerCapabilities {
  const { tasks, extensions, ...others } = declared;
  const rest = withoutTasks(extensions);
  const taskable = tasks?.requests as { tools?: { call?: object } } | undefined;
  const hasTasks = taskable?.tools?.call !== undefined || extensions?.[TASKS_EXTENSION] !== undefined;
  return {
    ...others,
    ...(hasTasks && { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
    ...((rest || hasTasks) && { extensions: { ...rest, ...(hasTasks && { [TASKS_EXTENSION]: {} }) } }),
  };
}

/** Whether a client that declares these can be asked anything. */
export function canBeAsked({ elicitation, sampling, roots }: ClientCapabilities): boolean {
  return elicitation !== undefined || sampling !== undefined || roots !== undefined;
}

function withoutTasks<T extends object>(extensions: T | undefined): Omit<T, typeof TASKS_EXTENSION> | undefined {
  if (extensions === undefined) return undefined;
  const { [TASKS_EXTENSION]: _own, ...rest } = extensions as T & { [TASKS_EXTENSION]?: unknown };
  return rest;
}
