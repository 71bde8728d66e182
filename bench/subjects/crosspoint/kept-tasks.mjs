// Tasks that have ended and are kept.
import { McpServer } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';
import { add, SERVER_INFO } from '../tools.mjs';
import { talkTo } from './talk.mjs';

/** Tasks that run at the same time. */
const AT_ONCE = 20;
/** More than all tasks take. */
const ROOM = 4_000_000_000;

function makeServer() {
  const server = new McpServer(SERVER_INFO, { leftBehind: { maxBytes: ROOM, maxBytesPerCaller: ROOM } });
  server.use(tasks({ list: true }));
  const { description, input: inputSchema, output: outputSchema, run } = add;
  server.registerTool('add', { description, inputSchema, outputSchema, task: 'optional' }, run);
  return server;
}

const CALL = { name: 'add', arguments: { a: 2, b: 3 }, task: { ttl: 3_600_000 } };

export async function start() {
  let ask = await talkTo(makeServer());
  let ids = [];
  const begin = async () => {
    const { task } = await ask('tools/call', CALL);
    const { structuredContent } = await ask('tasks/result', { taskId: task.taskId });
    if (structuredContent.sum !== 5) throw new Error('A task has another result.');
    return task.taskId;
  };
  return {
    commands: {
      async make({ count }) {
        for (let left = count; left > 0; left -= AT_ONCE) {
          const begun = Array.from({ length: Math.min(left, AT_ONCE) }, begin);
          ids.push(...(await Promise.all(begun)));
        }
      },
      async forget() {
        ids = [];
        ask = await talkTo(makeServer());
      },
      async look({ times }) {
        for (let left = times; left > 0; left -= 1) {
          const { status } = await ask('tasks/get', { taskId: ids[(left * 7919) % ids.length] });
          if (status !== 'completed') throw new Error(`A task is ${status}.`);
        }
      },
      /** Reads pages one after the other, and begins again after the last. */
      async list({ times }) {
        let cursor;
        for (let left = times; left > 0; left -= 1) {
          const page = await ask('tasks/list', cursor === undefined ? {} : { cursor });
          if (page.tasks.length === 0) throw new Error('A page is empty.');
          cursor = page.nextCursor;
        }
      },
    },
  };
}
