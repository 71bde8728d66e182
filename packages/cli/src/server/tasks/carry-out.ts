import { randomUUID } from 'node:crypto';
import { isTerminal, type CallToolResult, type Client, type ListTasksResult, type Task } from 'crosspoint/client';
import { catalogueName, type InboxItem } from '@crosspoint/host';
import { CliError } from '../../errors/cli-error.ts';
import type { ResultOf } from '../operations.ts';
import { orGivenUp } from '../questions/carry-out.ts';
import type { Work } from '../work.ts';
import type { HeldTask } from './held-tasks.ts';
import type { TaskFacts, TaskOperations } from './operations.ts';

type Table = {
  readonly [Name in keyof TaskOperations]: (work: Work<Name>) => Promise<ResultOf<Name>> | ResultOf<Name>;
};

/** How the operations about tasks are carried out. */
export const TASK_TABLE: Table = {
  'tasks.start': startTask,
  'tasks.list': listTasks,
  'tasks.get': getTask,
  'tasks.wait': waitForTask,
  'tasks.cancel': cancelTask,
};

type AnyWork = Pick<Work<'tasks.list'>, 'host' | 'held' | 'server' | 'signal'>;

async function startTask(work: Work<'tasks.start'>): Promise<ResultOf<'tasks.start'>> {
  const { host, held, server, params, signal, onevent } = work;
  const { tool, arguments: args, call, ttlMs } = params;
  // The command that begins a task may leave once it has begun; before, giving up cancels the call.
  const starting = new AbortController();
  const giveUp = (): void => starting.abort(signal?.reason);
  signal?.addEventListener('abort', giveUp, { once: true });
  let id: string | undefined;
  try {
    return await new Promise<ResultOf<'tasks.start'>>((resolve, reject) => {
      const result: Promise<CallToolResult> = host.callTool(catalogueName(server, tool), args, {
        id: call,
        signal: starting.signal,
        reason: 'It was typed at the command line.',
        onprogress: ({ progress, total, message }) => {
          const event = {
            type: 'progress' as const,
            progress,
            ...(total !== undefined && { total }),
            ...(message !== undefined && { message }),
          };
          if (id === undefined) onevent?.(event);
          else held.tasks.tell(id, event);
        },
        task: {
          ttlMs,
          onstarted(task) {
            if (task === undefined) return;
            id = task.taskId;
            const one = held.tasks.add({ task, call, tool, arguments: args, result });
            resolve({ task: factsOf(one, work) });
          },
          onstatus: (task) => held.tasks.seen(task),
        },
      });
      result.then((given) => resolve({ result: given }), reject);
    });
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

async function listTasks(work: Work<'tasks.list'>): Promise<ResultOf<'tasks.list'>> {
  const client = await clientOf(work);
  const own = await Promise.all(
    work.held.tasks.list().map(async (one) => {
      if (!one.isOver) await refreshed(client, one, work.signal).catch(() => {});
      return factsOf(one, work);
    }),
  );
  const known = new Set(own.map(({ taskId }) => taskId));
  const listed = (await serverList(client, work.signal)).filter(({ taskId }) => !known.has(taskId));
  return { tasks: [...own, ...listed.map((task) => ({ ...task, requests: [] }))] };
}

async function refreshed(client: Client, one: HeldTask, signal: AbortSignal | undefined): Promise<void> {
  const task = await client.resumeTask(one.task.taskId).status({ signal });
  if (task !== undefined) one.task = task;
}

const MOST_PAGES = 100;

/** The server's own list, of every page; nothing where it offers none. */
async function serverList(client: Client, signal: AbortSignal | undefined): Promise<readonly Task[]> {
  const { tasks } = client.getServerCapabilities() ?? {};
  if (tasks === undefined || !('list' in tasks) || tasks.list === undefined) return [];
  const found: Task[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = (await client.request({ method: 'tasks/list', params }, { signal })) as object as ListTasksResult;
    found.push(...result.tasks);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return found;
}

async function getTask(work: Work<'tasks.get'> | Work<'tasks.cancel'>): Promise<TaskFacts> {
  const { task: id } = work.params;
  const task = await (await clientOf(work)).resumeTask(id).status({ signal: work.signal });
  if (task === undefined) throw new CliError('usage', `There is no task ${JSON.stringify(id)}.`);
  const one = work.held.tasks.find(id);
  if (one === undefined) return { ...task, requests: [] };
  one.task = task;
  return factsOf(one, work);
}

async function waitForTask(work: Work<'tasks.wait'>): Promise<CallToolResult> {
  const { held, params, signal, onevent } = work;
  const one = held.tasks.find(params.task) ?? (await adopted(work));
  if (onevent !== undefined) {
    one.listeners.add(onevent);
    for (const item of waitingFor(one, work)) if (!held.desk.isOffered(item.id)) onevent({ type: 'question', item });
  }
  try {
    return await orGivenUp(one.result, signal);
  } finally {
    if (onevent !== undefined) one.listeners.delete(onevent);
  }
}

/** The questions of a task that wait; those that name no call are of the only task that runs. */
function waitingFor({ call }: HeldTask, { held }: AnyWork): readonly InboxItem[] {
  const isOnly = held.tasks.list().filter(({ isOver }) => !isOver).length === 1 && !held.calls.isBusy;
  return held.desk.list().filter(({ from }) => (from.call === undefined ? isOnly : from.call.id === call));
}

/** A task that another connection began: it is waited for here from now on. */
async function adopted(work: Work<'tasks.wait'>): Promise<HeldTask> {
  const { held, params, signal } = work;
  const handle = (await clientOf(work)).resumeTask(params.task);
  const task = await handle.status({ signal });
  if (task === undefined) throw new CliError('usage', `There is no task ${JSON.stringify(params.task)}.`);
  const result = handle.wait({ onstatus: (seen) => held.tasks.seen(seen) });
  return held.tasks.add({ task, call: randomUUID(), result });
}

async function cancelTask(work: Work<'tasks.cancel'>): Promise<TaskFacts> {
  const { task: id } = work.params;
  const handle = (await clientOf(work)).resumeTask(id);
  const before = await handle.status({ signal: work.signal });
  if (before !== undefined && isTerminal(before.status))
    throw new CliError('failed', `The task ${id} is ${before.status} already, so it cannot be cancelled.`);
  await handle.cancel();
  if (handle.task !== undefined) work.held.tasks.seen(handle.task);
  return getTask(work);
}

async function clientOf({ host, server, signal }: AnyWork): Promise<Client> {
  const found = host.servers.get(server);
  if (found === undefined) throw new CliError('usage', `There is no server "${server}".`);
  return found.ready(signal);
}

function factsOf(one: HeldTask, work: AnyWork): TaskFacts {
  const { task, tool, arguments: args } = one;
  return {
    ...task,
    ...(tool !== undefined && { tool }),
    ...(args !== undefined && { arguments: args }),
    requests: waitingFor(one, work).map(({ id }) => id),
  };
}
