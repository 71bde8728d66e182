// Tasks by hand that are kept, as text, in the order in which they were made.
import { RawTasks } from './tasks.mjs';

const PAGE = 50;
const RESULT = { content: [{ type: 'text', text: '5' }], structuredContent: { sum: 5 } };
const CALL = { name: 'add', arguments: { a: 2, b: 3 }, task: { ttl: 3_600_000 } };

export function start() {
  let tasks = new RawTasks(() => ({ result: { ...RESULT } }));
  let ids = [];
  const ask = (method, params) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return JSON.parse(JSON.stringify(tasks.answer(JSON.parse(text)))).result;
  };
  return {
    commands: {
      make({ count }) {
        for (let left = count; left > 0; left -= 1) {
          const { taskId } = ask('tools/call', CALL).task;
          ask('tasks/result', { taskId });
          ids.push(taskId);
        }
      },
      forget() {
        ids = [];
        tasks = new RawTasks(() => ({ result: { ...RESULT } }));
      },
      look({ times }) {
        for (let left = times; left > 0; left -= 1) ask('tasks/get', { taskId: ids[(left * 7919) % ids.length] });
      },
      list({ times }) {
        for (let left = times; left > 0; left -= 1) {
          const from = ((times - left) * PAGE) % ids.length;
          for (const taskId of ids.slice(from, from + PAGE)) ask('tasks/get', { taskId });
        }
      },
    },
  };
}
