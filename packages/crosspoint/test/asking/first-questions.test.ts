import { expect, test } from 'vitest';
import { McpServer, text } from '../../src/server/index.ts';
import { answer, connectLinked } from '../../src/testing/index.ts';

const form = (message: string) => ({
  message,
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
});

test('questions are asked in order, and as they were when they were asked', async () => {
  const server = new McpServer({ name: 'asks', version: '1.0.0' });
  server.registerTool('greet', {}, async ({ elicit, step }) => {
    const first = form('first');
    const asked = [elicit(first), elicit(form('second'))];
    first.message = 'changed';
    const answers = await Promise.all(asked);
    const done = await step('done', () => answers.map(({ content }) => content?.['name']).join(' and '));
    return text(done);
  });
  const { client, answers, close } = await connectLinked(server, {
    answers: [answer.accept({ name: 'Ann' }), answer.accept({ name: 'Bob' })],
  });
  const result = await client.callTool({ name: 'greet' });
  expect(result.content).toEqual([{ type: 'text', text: 'Ann and Bob' }]);
  expect(answers.asked.map(({ params }) => params['message'])).toEqual(['first', 'second']);
  await close();
});

test('a question that nobody waits for does not keep a call from its end', async () => {
  const server = new McpServer({ name: 'asks', version: '1.0.0' });
  server.registerTool('shrug', {}, ({ elicit }) => {
    elicit(form('never mind')).catch(() => {});
    return text('done');
  });
  const { client, close } = await connectLinked(server, { capabilities: { elicitation: {} } });
  const result = await client.callTool({ name: 'shrug' });
  expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
  await close();
});
