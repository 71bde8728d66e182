import { isJsonObject } from '../../jsonrpc/message.ts';
import type { Progress } from '../../peer/progress.ts';
import { META_TASK_PROGRESS } from '../../protocol/meta.ts';
import { isTerminal, type Task } from '../../protocol/tasks.ts';

/**
 * The progress of a call that became a task: what the server reports, what it keeps with the task, and each new status message, with the value
 * reported last. Values never fall.
 */
export class TaskProgress {
  readonly #onprogress: (progress: Progress) => void;
  #last: Progress | undefined;
  #said: string | undefined;

  constructor(onprogress: (progress: Progress) => void) {
    this.#onprogress = onprogress;
  }

  /** Takes a report of the server. */
  readonly report = (progress: Progress): void => {
    this.#last = progress;
    this.#onprogress(progress);
  };

  /** Takes a status of the task. The message of a task that has ended belongs to its result. */
  readonly status = (task: Task & { _meta?: unknown }): void => {
    const { status, statusMessage: words, _meta: meta } = task;
    const kept = isJsonObject(meta) ? readProgress(meta[META_TASK_PROGRESS]) : undefined;
    const isNew = words !== undefined && words !== this.#said && !isTerminal(status);
    this.#said = words;
    if (kept !== undefined && kept.progress > (this.#last?.progress ?? Number.NEGATIVE_INFINITY)) this.report(kept);
    else if (isNew) this.report({ ...(this.#last ?? { progress: 0 }), message: words });
  };
}

function readProgress(value: unknown): Progress | undefined {
  if (!isJsonObject(value) || typeof value['progress'] !== 'number') return undefined;
  const { progress, total, message } = value;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}
