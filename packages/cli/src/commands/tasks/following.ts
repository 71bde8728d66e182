import { visibleLine } from '@crosspoint/host';
import type { CommandContext } from '../../context.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import type { TargetWords } from '../../grammar/command.ts';
import { withKept } from '../../server/kept-servers.ts';
import type { OpenServer } from '../../server/open-server.ts';
import type { OperationEvent } from '../../server/operations.ts';
import type { TaskFacts } from '../../server/tasks/operations.ts';
import { showResult } from '../tools/show-result.ts';
import { taskText } from './task-text.ts';

type ListedTask = TaskFacts & { readonly connection: string };

export async function listTasks(target: TargetWords | undefined, context: CommandContext): Promise<void> {
  const { home, output, withServer, signal } = context;
  const of = async (server: OpenServer): Promise<ListedTask[]> => {
    const { tasks } = await server.request('tasks.list', {}, { signal });
    return tasks.map((task) => ({ connection: server.name, ...task }));
  };
  const tasks = target === undefined ? (await withKept(home, [], of)).flat() : await withServer(target, of);
  output.result({ tasks }, () => (tasks.length === 0 ? 'There are no tasks.' : taskText(tasks)));
}

export async function waitForTask(target: TargetWords, task: string, context: CommandContext): Promise<Ending> {
  const { withServer, signal, output } = context;
  signal.addEventListener('abort', () => output.note(`The task goes on: crosspoint tasks wait SERVER ${task}`), {
    once: true,
  });
  const result = await withServer(target, (server) =>
    server.request('tasks.wait', { task }, { onevent: (event) => showEvent(event, context) }),
  );
  return showResult(result, context);
}

/** Shows how far a task is. */
export function showEvent(event: OperationEvent, { output }: CommandContext): void {
  if (event.type === 'progress') output.progress(event);
  else if (event.type === 'status')
    output.note(`${event.status}${event.message === undefined ? '' : `: ${visibleLine(event.message)}`}`);
}
