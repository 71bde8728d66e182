import { defineCommand, type Command } from '../../grammar/command.ts';

const ls: Command = defineCommand({
  path: ['calls', 'ls'],
  says: 'List the calls that go on at kept connections, and those whose result waits.',
  arguments: [{ name: 'name', says: 'a kept connection; all when absent', isOptional: true, completes: 'kept' }],
  examples: [{ line: 'crosspoint calls ls', says: 'Ids, tools, and what each waits for.' }],
  prints:
    '{ calls: [{ connection, id, tool, arguments, startedAt, state: "running" | "waiting" | "done" | "failed", requests: [id] }] }',
  async run({ words }, context) {
    const { listCalls } = await import('./kept-calls.ts');
    await listCalls(words, context);
  },
});

const wait: Command = defineCommand({
  path: ['calls', 'wait'],
  says: 'Wait for the result of a call that its command has left.',
  about:
    'A call on a kept connection goes on when its server asks something that nobody answers (exit code 8). Questions that come meanwhile are asked here, or parked again. Ctrl-C ends the wait, not the call. A result is given once.',
  arguments: [{ name: 'id', says: 'the id of the call', completes: 'call' }],
  options: {
    rules: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: "Answer the server's questions by the rules of this file.",
    },
  },
  examples: [
    { line: 'crosspoint calls wait 0f8e5f0c-53ab-4b0a-8d67-1c5ad5a3c1a4', says: 'After its question was answered.' },
  ],
  prints: 'CallToolResult, as the specification has it',
  async run({ words: [id = ''] }, context) {
    const { waitForCall } = await import('./kept-calls.ts');
    return waitForCall(id, context);
  },
});

const cancel: Command = defineCommand({
  path: ['calls', 'cancel'],
  says: 'Cancel a call at its server.',
  arguments: [{ name: 'id', says: 'the id of the call', completes: 'call' }],
  examples: [
    { line: 'crosspoint calls cancel 0f8e5f0c-53ab-4b0a-8d67-1c5ad5a3c1a4', says: 'Its questions are withdrawn.' },
  ],
  prints: '{ id, connection }',
  async run({ words: [id = ''] }, { home, output, signal }) {
    const { whereKept } = await import('../../server/kept-servers.ts');
    const { callAt, noCall } = await import('./kept-calls.ts');
    const found = await whereKept(home, callAt(id, signal), async (_, server) => {
      await server.request('calls.cancel', { call: id }, { signal });
      return { id, connection: server.name };
    });
    if (found === undefined) throw noCall(id);
    output.result(found.done, () => `Cancelled at ${found.done.connection}.`);
  },
});

export const calls: readonly Command[] = [ls, wait, cancel];
