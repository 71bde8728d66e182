import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import type { OpenServer } from '../../server/open-server.ts';
import type { ParamsOf } from '../../server/operations.ts';
import { taskText } from '../tasks/task-text.ts';
import { showResult } from './show-result.ts';

/** Starts a call as a task and prints the task; the result where the server answers without one. */
export async function startTask(
  server: OpenServer,
  { ttl, ...wanted }: Omit<ParamsOf<'tasks.start'>, 'ttlMs'> & { readonly ttl: number | undefined },
  context: CommandContext,
): Promise<Ending> {
  const { output } = context;
  const { target } = await server.request('show', {});
  if (!server.isKept && !/^https?:/.test(target))
    throw new CliError('usage', 'A program that is started for this command ends with it, and the task would, too.', {
      hint: 'crosspoint connect --as NAME -- COMMAND keeps it: crosspoint tools call NAME TOOL --task. Nothing was called.',
    });
  const params = { ...wanted, ...(ttl !== undefined && { ttlMs: ttl * 1000 }) };
  const started = await server.request('tasks.start', params, {
    onevent(event) {
      if (event.type === 'progress') output.progress(event);
    },
  });
  if ('result' in started) {
    output.note('The server answered without a task.');
    return showResult(started.result, context);
  }
  output.result(started.task, () => taskText([started.task]));
  output.note(
    `crosspoint tasks wait ${server.isKept ? server.name : 'SERVER'} ${started.task.taskId} prints its result.`,
  );
  return 'ok';
}
