import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type Transport } from '../../src/client/index.ts';
import { systemClock } from '../../src/peer/clock.ts';
import { revisions } from '../../src/revisions/index.ts';
import { InMemoryTransport, Recorder } from '../../src/testing/index.ts';
import { StdioClientTransport } from '../../src/transports/stdio/client.ts';
import { afterwards, answers, noise, serve, type Out } from '../fixtures/hostile/fake-server.mjs';
import { proves } from '../requirements/proves.ts';
import { failureOf, idsAbout, parseLines, textOf } from '../suites/subject.ts';
import { describeAnswers, readTables } from './table.ts';

const CHILD = fileURLToPath(new URL('../fixtures/hostile/fake-child.mjs', import.meta.url));
const table = readTables().get('Sent to a client');
const ENDS = new Set(['half an answer and then the end', 'the end instead of an answer']);
const INPUTS = [...Object.keys(answers), ...Object.keys(noise), ...Object.keys(afterwards)];
/** Bytes that are no message: only a transport that has bytes can carry them. */
const BYTES = new Set([
  ...ENDS,
  'an answer of 100 MB',
  'an answer split at every byte',
  'an answer nested a million deep',
  'members named __proto__ in a result',
  'a stray console.log',
  'a thousand stray lines',
  'empty lines',
  'half a message',
  'bytes that are no UTF-8',
  'a line of 100 MB that is no answer',
  'a million arrays, one inside the other',
]);

function memoryServer(): Transport {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const out: Out = {
    bytes: () => {
      throw new Error('Memory carries no bytes.');
    },
    message: (message) => far.send(message as never),
    messages: (messages) => messages.forEach((message) => far.send(message as never)),
  };
  far.onmessage = (message) => serve(structuredClone(message), out);
  void far.start();
  return near;
}

const childServer = (): Transport =>
  new StdioClientTransport({ command: process.execPath, args: [CHILD], stderr: 'inherit' });

interface Open {
  readonly client: Client;
  readonly recorder: Recorder;
  readonly problems: Error[];
  readonly closed: () => boolean;
  /** Lets so much time pass that problems of a kind are told one by one again. */
  readonly quiet: () => void;
}

async function open(revision: string, transport: Transport): Promise<Open> {
  const problems: Error[] = [];
  let isClosed = false;
  let passed = 0;
  const client = new Client(
    { name: 'victim', version: '1' },
    {
      clock: { ...systemClock, now: () => Date.now() + passed },
      revisions: [revision],
      onproblem: (problem) => problems.push(problem),
      timeouts: { idleMs: 15_000 },
    },
  );
  client.onclose = () => (isClosed = true);
  client.setRequestHandler('example/slow', () => new Promise<object>(() => {}));
  const recorder = new Recorder(transport);
  await client.connect(recorder);
  return { client, recorder, problems, closed: () => isClosed, quiet: () => (passed += 20_000) };
}

/** What became of the call, in the words of the table. */
async function callWith({ client }: Open, name: string): Promise<string> {
  try {
    return textOf(await client.callTool({ name })) === 'ok' ? 'is answered' : 'gets a wrong answer';
  } catch (error) {
    return `fails: ${String((error as { code?: unknown }).code)}`;
  }
}

async function tryInput(opened: Open, name: string, perRequest: boolean): Promise<void> {
  const row = table?.get(name);
  expect(row, 'a row in docs/bad-input.md').toBeDefined();
  opened.quiet();
  const before = opened.recorder.lines.length;
  const problems = opened.problems.length;
  const call = await callWith(opened, name);
  if (!ENDS.has(name)) expect(await callWith(opened, 'ok')).toBe('is answered');
  const written = parseLines(opened.recorder.lines.slice(before).filter((line) => line.startsWith('→')))
    .map(({ message }) => message)
    .filter((message) => !('method' in message));
  const id = name === 'a request with a huge id' ? 1e300 : 'x';
  expect({
    'The call': call,
    'The client writes': describeAnswers(written, id),
    'It is reported': opened.problems.length > problems ? 'yes' : 'no',
    'The connection': opened.closed() ? 'closes' : 'lives',
  }).toEqual({
    'The call': row!['The call'],
    'The client writes': perRequest ? 'nothing' : row!['The client writes'],
    'It is reported': perRequest && row!['The client writes'] !== 'nothing' ? 'yes' : row!['It is reported'],
    'The connection': row!['The connection'],
  });
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
}

const ROW_IDS: Readonly<Record<string, string>> = {
  'an error without an id': 'L-MESSAGES-009',
  'an answer with both result and error': 'L-MESSAGES-010',
  'progress of nothing': 'L-PROGRESS-009',
  'a cancellation of nothing': 'L-CANCELLATION-012, M-CAN-017',
  'the end instead of an answer': 'L-STDIO-013, M-STDIO-014',
  'a question the client did not declare': 'L-LIFECYCLE-017',
  'a request of an unknown method': 'L-MESSAGES-026, M-BASE-049, M-STDIO-006',
};

const tested = revisions.filter(({ id }) => ['2025-11-25', '2026-07-28'].includes(id));

describe.each(tested.map(({ id, family }) => [`a client of ${id}`, id, family] as const))(
  '%s',
  (_title, revision, family) => {
    const perRequest = family === 'per-request';

    describe.each([
      ['over memory', memoryServer, INPUTS.filter((name) => !BYTES.has(name))] as const,
      ['with a server in a process', childServer, INPUTS.filter((name) => !ENDS.has(name))] as const,
    ])('%s, sent', (_over, transport, names) => {
      let opened: Open;
      beforeAll(async () => {
        opened = await open(revision, transport());
      });
      afterAll(() => opened.client.close());

      for (const name of names)
        proves(idsAbout(revision, ROW_IDS[name] ?? '')).it(name, () => tryInput(opened, name, perRequest));

      proves('L-PAGINATION-011').it('a list that never ends, or is none', async () => {
        expect((await opened.client.listTools()).tools).toEqual([]);
        expect((await failureOf(opened.client.listPrompts())).code).toBe('invalid-result');
        expect(await callWith(opened, 'ok')).toBe('is answered');
      });
    });

    for (const name of ENDS)
      proves(idsAbout(revision, ROW_IDS[name] ?? '')).it(`with a server in a process, sent ${name}`, async () => {
        const opened = await open(revision, childServer());
        await tryInput(opened, name, perRequest);
        expect((await failureOf(opened.client.callTool({ name: 'ok' }))).code).toBe('closed');
      });
  },
);

describe('docs/bad-input.md', () => {
  it('has a row for every input to a client, and no other', () => {
    expect([...(table?.keys() ?? [])].sort()).toEqual([...INPUTS].sort());
  });
});
