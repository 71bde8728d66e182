import { afterEach, expect, it } from 'vitest';
import { McpServer, text } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { closeAll, connected, serveHttp } from '../relaying/carriers.ts';

afterEach(closeAll);

const form = { type: 'object', properties: { word: { type: 'string' } } } as const;

it('a question of a task goes to a later session that waits for it: the client of the earlier one may be gone without a word', async () => {
  const server = new McpServer({ name: 'asks', version: '1.0.0' }, { revisions: 'handshake' });
  server.use(tasks({ pollIntervalMs: 20 }));
  let answers = 0;
  server.registerTool('job', { task: { support: 'optional' } }, async (ctx) => {
    const { content } = await ctx.elicit({ message: 'Which?', requestedSchema: form });
    answers += 1;
    return text(String(content?.['word']));
  });
  const url = await serveHttp(server);
  const options = { revisions: 'handshake', capabilities: { elicitation: {} } } as const;
  const asked: string[] = [];
  const withdrawn: string[] = [];
  const first = await connected(url, options, (client) =>
    client.setRequestHandler('elicitation/create', (_request, { signal }) => {
      asked.push('first');
      signal.addEventListener('abort', () => withdrawn.push('first'));
      return new Promise(() => {});
    }),
  );
  const { taskId } = await first.startTask({ name: 'job' });
  const waits = first.resumeTask(taskId ?? '').wait();
  await expect.poll(() => asked).toEqual(['first']);
  const second = await connected(url, options, (client) =>
    client.setRequestHandler('elicitation/create', () => {
      asked.push('second');
      return { action: 'accept', content: { word: 'mine' } };
    }),
  );
  expect((await second.resumeTask(taskId ?? '').wait()).content).toEqual([{ type: 'text', text: 'mine' }]);
  expect((await waits).content).toEqual([{ type: 'text', text: 'mine' }]);
  expect(asked).toEqual(['first', 'second']);
  expect(withdrawn).toEqual(['first']);
  expect(answers).toBe(1);
});
