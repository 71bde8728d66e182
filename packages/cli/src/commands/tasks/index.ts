import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type ArgumentSpec, type Command } from '../../grammar/command.ts';

const ID: ArgumentSpec = { name: 'id', says: 'the id of the task', completes: 'task' };
const TASK =
  '{ taskId, status, statusMessage?, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs?, tool?, arguments?, requests: [id] }';

const ls: Command = defineCommand({
  path: ['tasks', 'ls'],
  says: 'List the tasks of a server.',
  about:
    'Those that a kept connection began or waits for, and those that the server lists itself. Without a server: of every kept connection.',
  target: 'optional',
  examples: [{ line: 'crosspoint tasks ls reports', says: 'Ids, statuses and tools.' }],
  prints: `{ tasks: [Task with connection] }; a Task is ${TASK}`,
  async run({ target }, context) {
    const { listTasks } = await import('./following.ts');
    await listTasks(target, context);
  },
});

const get: Command = defineCommand({
  path: ['tasks', 'get'],
  says: 'Show the status of a task.',
  target: 'needed',
  arguments: [ID],
  examples: [{ line: 'crosspoint tasks get reports 786512e2', says: 'Asks the server.' }],
  prints: TASK,
  async run({ target, words: [task = ''] }, { withServer, output }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const found = await withServer(target, (server) => server.request('tasks.get', { task }));
    const { taskText } = await import('./task-text.ts');
    output.result(found, () => taskText([found]));
  },
});

const wait: Command = defineCommand({
  path: ['tasks', 'wait'],
  says: 'Wait for a task and print the result of its call.',
  about:
    'Progress and status are shown meanwhile, and questions of the task are asked at the terminal or answered by --rules; otherwise the exit code is 8 and the task goes on. Ctrl-C ends the wait, not the task.',
  target: 'needed',
  arguments: [ID],
  examples: [
    { line: 'crosspoint tasks wait reports 786512e2', says: 'On a kept connection.' },
    { line: 'crosspoint tasks wait https://example.com/mcp 786512e2', says: 'A task that was begun elsewhere.' },
  ],
  prints: 'CallToolResult, as the specification has it',
  async run({ target, words: [task = ''] }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { waitForTask } = await import('./following.ts');
    return waitForTask(target, task, context);
  },
});

const answer: Command = defineCommand({
  path: ['tasks', 'answer'],
  says: 'Answer the question of a task.',
  about:
    'Takes the same words as crosspoint requests answer. A task that asks nothing is an error. Where a task asks several things at once, the oldest is answered.',
  target: 'needed',
  arguments: [ID, { name: 'field', says: 'NAME=TEXT, NAME=@FILE or NAME:=JSON', isOptional: true, isMany: true }],
  options: {
    yes: { type: 'flag', says: 'Agree; for a form: send its defaults.' },
    decline: { type: 'flag', says: 'Say no.' },
    reply: {
      type: 'text',
      value: 'TEXT|@FILE|-',
      says: 'The words of the model: as they are, of a file, or of stdin.',
    },
    answer: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: 'The whole answer as one JSON object from a file; "-" reads stdin.',
    },
    wait: { type: 'flag', says: 'Wait for the task, and print the result of its call.' },
  },
  examples: [{ line: 'crosspoint tasks answer reports 786512e2 ok=true', says: 'Fills in the form of the task.' }],
  prints: `${TASK}; with --wait: CallToolResult`,
  async run({ target, words: [task = '', ...pairs], options }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { answerTask } = await import('./answering.ts');
    return answerTask(target, { task, pairs, ...options }, context);
  },
});

const cancel: Command = defineCommand({
  path: ['tasks', 'cancel'],
  says: 'Cancel a task.',
  about: 'A server of the newer generation only notes the wish: the status that is printed may still be working.',
  target: 'needed',
  arguments: [ID],
  examples: [{ line: 'crosspoint tasks cancel reports 786512e2', says: 'The server is told.' }],
  prints: TASK,
  async run({ target, words: [task = ''] }, { withServer, output }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const found = await withServer(target, (server) => server.request('tasks.cancel', { task }));
    const { taskText } = await import('./task-text.ts');
    output.result(found, () => taskText([found]));
  },
});

export const tasks: readonly Command[] = [ls, get, wait, answer, cancel];
