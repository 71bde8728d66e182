import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Client, createVerdictMemory, type ClientOptions, type Progress, type Task } from '../../src/client/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';
import { closeAll, serve } from '../http/serving.ts';
import { proves } from '../requirements/proves.ts';
import { httpOf } from '../../src/revisions/http-rules.ts';

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await closeAll();
});

/** One registration, written once. */
function reports(): McpServer {
  const server = new McpServer({ name: 'reports', version: '1.0.0' });
  server.use(tasks({ pollIntervalMs: 20 }));
  server.registerTool(
    'report',
    { inputSchema: { pages: z.number() }, outputSchema: { words: z.number() }, task: 'optional' },
    async ({ pages }, ctx) => {
      const drafted = await ctx.step('draft', async () => pages * 100);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { ...text(`${drafted} words`), structuredContent: { words: drafted } };
    },
  );
  server.registerTool('signed', { task: 'optional' }, async (ctx) => {
    const answer = await ctx.elicit({ message: 'Sign?', schema: z.object({ name: z.string() }) });
    return text(answer.action === 'accept' ? `signed ${answer.content.name}` : answer.action);
  });
  server.registerTool('bake', { task: 'optional' }, async (ctx) => {
    for (const tray of [1, 2, 3]) {
      ctx.progress(tray, 3, `tray ${tray}`);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await ctx.task?.setStatus('cooling');
    await new Promise((resolve) => setTimeout(resolve, 100));
    ctx.progress(4, 4);
    return text('baked');
  });
  server.registerTool('only', { task: 'required' }, () => text('as a task'));
  return server;
}

function client(options: ClientOptions): Client {
  const made = new Client({ name: 'reader', version: '1' }, { verdicts: createVerdictMemory(), ...options });
  clients.push(made);
  return made;
}

const transports: [string, (options: ClientOptions) => Promise<Client>][] = [
  [
    'memory',
    async (options) => {
      const [mine, theirs] = InMemoryTransport.createLinkedPair();
      await reports().connect(theirs);
      const made = client(options);
      await made.connect(mine);
      return made;
    },
  ],
  [
    'HTTP',
    async (options) => {
      const at = await serve({}, {}, reports());
      const made = client(options);
      await made.connect(`http://127.0.0.1:${at.port}/mcp`);
      return made;
    },
  ],
];
const cases = transports.flatMap(([name, connect]) =>
  revisions
    .filter((revision) => name !== 'HTTP' || httpOf(revision).streamable)
    .map((revision) => [revision.id, name, connect] as const),
);

describe('one tool, called by clients of every revision', () => {
  proves('M-TASK-042').test.each(cases)(
    '%s over %s: plainly, as a task, by its handle: the same result',
    async (id, _name, connect) => {
      const plain = await connect({ revisions: [id], tasks: false });
      const expected = await plain.callTool({ name: 'report', arguments: { pages: 3 } });
      expect(expected.content).toEqual([{ type: 'text', text: '300 words' }]);
      const waiting = await connect({ revisions: [id] });
      const statuses: string[] = [];
      const result = await waiting.callTool(
        { name: 'report', arguments: { pages: 3 } },
        { task: {}, onstatus: ({ status }) => statuses.push(status) },
      );
      expect(withoutMeta(result)).toEqual(withoutMeta(expected));
      const hasTasks = waiting.family === 'per-request' || waiting.revision?.methods.has('tasks/result') === true;
      expect(statuses.length > 0).toBe(hasTasks);
      const handle = await waiting.startTask({ name: 'report', arguments: { pages: 3 } });
      expect(handle.taskId !== undefined).toBe(hasTasks);
      expect(withoutMeta(await handle.wait())).toEqual(withoutMeta(expected));
      const after: Task | undefined = await handle.status();
      expect(after?.status).toBe(hasTasks ? 'completed' : undefined);
    },
  );

  test.each(cases)('%s over %s: what a task asks is answered as any question is', async (id, _name, connect) => {
    const asked = await connect({ revisions: [id], capabilities: { elicitation: {} } });
    let questions = 0;
    asked.setRequestHandler('elicitation/create', () => {
      questions += 1;
      return { action: 'accept', content: { name: 'Ada' } };
    });
    const canAsk = asked.family === 'per-request' || asked.revision?.methods.has('elicitation/create') === true;
    const signed = await asked.callTool({ name: 'signed' }, { task: {} });
    if (!canAsk) return expect(signed).toMatchObject(NOT_ASKED);
    expect(signed).toMatchObject({ content: [{ text: 'signed Ada' }] });
    expect(questions).toBe(1);
  });

  test.each(cases)('%s over %s: progress and status of a task reach onprogress', async (id, _name, connect) => {
    const made = await connect({ revisions: [id] });
    const hasTasks = made.family === 'per-request' || made.revision?.methods.has('tasks/result') === true;
    const call = { name: 'bake' };
    const seen: Progress[][] = [[], []];
    const [waited = [], handled = []] = seen;
    await made.callTool(call, { task: {}, onprogress: (progress) => waited.push(progress) });
    const handle = await made.startTask(call, { onprogress: (progress) => handled.push(progress) });
    await handle.wait();
    for (const reports of seen) {
      const values = reports.map(({ progress }) => progress);
      expect(values).toEqual([...values].sort((a, b) => a - b));
      expect(reports[0]).toMatchObject({ total: 3 });
      expect(reports.at(-1)).toEqual({ progress: 4, total: 4 });
      expect(reports.some(({ message }) => message === 'cooling')).toBe(hasTasks);
    }
  });

  test.each(cases)('%s over %s: a tool that is only a task works where there are tasks', async (id, _name, connect) => {
    const made = await connect({ revisions: [id] });
    const hasTasks = made.family === 'per-request' || made.revision?.methods.has('tasks/result') === true;
    const called = made.callTool({ name: 'only' });
    if (hasTasks) expect(await called).toMatchObject({ content: [{ text: 'as a task' }] });
    else await expect(called).rejects.toMatchObject({ code: -32601 });
  });

  test.each(cases)('%s over %s: a call that is given up cancels its task', async (id, _name, connect) => {
    const made = await connect({ revisions: [id], capabilities: { elicitation: {} } });
    const abort = new AbortController();
    const hasTasks = made.family === 'per-request' || made.revision?.methods.has('tasks/result') === true;
    const canAsk = made.family === 'per-request' || made.revision?.methods.has('elicitation/create') === true;
    made.setRequestHandler('elicitation/create', () => {
      abort.abort();
      return new Promise(() => {});
    });
    let taskId: string | undefined;
    const called = made.callTool(
      { name: 'signed' },
      { task: {}, signal: abort.signal, onstatus: (task) => (taskId ??= task.taskId) },
    );
    if (canAsk) await expect(called).rejects.toThrow(/abort|cancelled/i);
    else expect(await called).toMatchObject(NOT_ASKED);
    expect(taskId !== undefined).toBe(hasTasks);
    if (!hasTasks) return;
    const found = made.resumeTask(taskId ?? '');
    await expect.poll(async () => (await found.status())?.status, { timeout: 10_000 }).toBe('cancelled');
  });
});

/** The result of a tool whose client cannot be asked in its revision. */
const NOT_ASKED = {
  isError: true,
  content: [{ text: expect.stringContaining('has not declared elicitation') as string }],
};

/** Who answered, and which task it was, are the only things that may differ. */
function withoutMeta(result: object): object {
  const { _meta, resultType: _, ...rest } = result as { _meta?: unknown; resultType?: unknown };
  return rest;
}
