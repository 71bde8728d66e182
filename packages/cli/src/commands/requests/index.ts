import { defineCommand, type ArgumentSpec, type Command } from '../../grammar/command.ts';

const ID: ArgumentSpec = { name: 'id', says: 'the id of the question', completes: 'request' };
const WAIT = { type: 'flag', says: 'Wait for the call that the question belongs to, and print its result.' } as const;

const ls: Command = defineCommand({
  path: ['requests', 'ls'],
  says: 'List the questions that wait on kept connections.',
  about:
    'Forms, pages, requests for words of a model, folders, values and approvals. A question that nobody answers is given up after 10 minutes, with the most careful answer.',
  arguments: [{ name: 'name', says: 'a kept connection; all when absent', isOptional: true, completes: 'kept' }],
  examples: [{ line: 'crosspoint requests ls', says: 'The oldest first, each with its id.' }],
  prints: '{ requests: [{ connection, id, kind, title, call?: { id, tool, arguments }, askedAt, expiresAt }] }',
  async run({ words }, context) {
    const { listRequests } = await import('./kept-requests.ts');
    await listRequests(words, context);
  },
});

const show: Command = defineCommand({
  path: ['requests', 'show'],
  says: 'Show a question with everything that is to know before it is answered.',
  arguments: [ID],
  examples: [
    { line: 'crosspoint requests show 5b1d1c9e-7c2e-4f3b-9d58-0d8f4f0a6d11', says: 'Fields, addresses, the call.' },
  ],
  prints: '{ connection, id, kind, from, question, askedAt, expiresAt, title, lines: [text] }',
  async run({ words: [id = ''] }, context) {
    const { showRequest } = await import('./kept-requests.ts');
    await showRequest(id, context);
  },
});

const answer: Command = defineCommand({
  path: ['requests', 'answer'],
  says: 'Answer a question that waits on a kept connection.',
  about:
    'A form is answered by its fields: NAME=TEXT, NAME=@FILE or NAME:=JSON; fields that are not named get their defaults. --yes agrees to everything else: a page, which is then opened, a login, folders, a start, a call. A request for words of a model gets --reply. Without words or options the question is asked at the terminal. An answer that does not fit is an error, and the question goes on waiting.',
  arguments: [ID, { name: 'field', says: 'NAME=TEXT, NAME=@FILE or NAME:=JSON', isOptional: true, isMany: true }],
  options: {
    yes: { type: 'flag', says: 'Agree; for a form: send its defaults.' },
    reply: {
      type: 'text',
      value: 'TEXT|@FILE|-',
      says: 'The words of the model, or the value: as they are, of a file, or of stdin. A secret comes from a file or stdin alone.',
    },
    answer: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: 'The whole answer as one JSON object from a file, such as {"action": "deny"}; "-" reads stdin.',
    },
    wait: WAIT,
  },
  examples: [
    {
      line: 'crosspoint requests answer 5b1d1c9e-7c2e-4f3b-9d58-0d8f4f0a6d11 name=Ada age=36 --wait',
      says: 'Fills in a form, and prints the result of the call.',
    },
    { line: 'crosspoint requests answer 5b1d1c9e-7c2e-4f3b-9d58-0d8f4f0a6d11 --yes', says: 'Opens a page.' },
  ],
  prints: '{ id, connection, kind, action, call? }; with --wait: CallToolResult',
  async run({ words: [id = '', ...pairs], options }, context) {
    const { answerRequest } = await import('./answering.ts');
    return answerRequest(id, { pairs, ...options }, context);
  },
});

const decline: Command = defineCommand({
  path: ['requests', 'decline'],
  says: 'Say no to a question that waits on a kept connection.',
  arguments: [ID],
  options: {
    cancel: { type: 'flag', says: 'Neither yes nor no: the server is told that a form or page was left.' },
    wait: WAIT,
  },
  examples: [
    { line: 'crosspoint requests decline 5b1d1c9e-7c2e-4f3b-9d58-0d8f4f0a6d11', says: 'The call goes on without it.' },
  ],
  prints: '{ id, connection, kind, action, call? }; with --wait: CallToolResult',
  async run({ words: [id = ''], options }, context) {
    const { declineRequest } = await import('./answering.ts');
    return declineRequest(id, options, context);
  },
});

export const requests: readonly Command[] = [ls, show, answer, decline];
