import { visibleLine } from '@crosspoint/host';
import { tableText } from '../../output/table.ts';
import type { TaskFacts } from '../../server/tasks/operations.ts';

/** Tasks as a table: id, status, tool, and the words of the server about it. */
export function taskText(tasks: readonly (TaskFacts & { readonly connection?: string })[]): string {
  return tableText(
    tasks.map(({ connection, taskId, status, statusMessage = '', tool = '', requests }) => [
      ...(connection === undefined ? [] : [connection]),
      visibleLine(taskId),
      requests.length === 0 ? status : `${status} (${requests.length} waiting)`,
      visibleLine(tool),
      visibleLine(statusMessage).slice(0, 200),
    ]),
  );
}
