import { setTimeout as sleep } from 'node:timers/promises';
import { fromJsonSchema } from 'crosspoint/schema';
import { ProtocolError, text } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';

const object = (properties) => ({ type: 'object', properties });
const input = (...given) => fromJsonSchema(object(...given));
// Nothing is required: the suite answers every form in the same way.
const form = (message, properties) => ({ message, requestedSchema: object(properties) });
const NAME = form('What is your name?', { name: { type: 'string' } });

/** The tools for the task scenarios. */
export function registerTaskTools(server) {
  server.use(tasks());
  server.registerTool(
    'greet',
    { description: 'Greets somebody.', inputSchema: input({ name: { type: 'string' } }) },
    ({ name }) => text(`Hello, ${name}!`),
  );
  server.registerTool(
    'slow_compute',
    {
      description: 'Takes as long as it is told.',
      inputSchema: input({ seconds: { type: 'number' }, label: { type: 'string' } }),
      task: 'optional',
    },
    async ({ seconds = 1, label = '' }, { signal }) => {
      await sleep(seconds * 1000, undefined, { signal });
      return text(`Computed ${label} for ${seconds} s.`);
    },
  );
  server.registerTool('failing_job', { description: 'Fails after a while.', task: 'required' }, async ({ signal }) => {
    await sleep(500, undefined, { signal });
    return { ...text('The job failed.'), isError: true };
  });
  server.registerTool(
    'protocol_error_job',
    { description: 'Breaks the protocol after a while.', task: 'optional' },
    async ({ signal }) => {
      await sleep(200, undefined, { signal });
      throw new ProtocolError('internal', 'The job broke the protocol.');
    },
  );
  server.registerTool(
    'confirm_delete',
    { description: 'Asks before it deletes.', inputSchema: input({ filename: { type: 'string' } }), task: 'optional' },
    async ({ filename }, ctx) => {
      const { action } = await ctx.elicit(form(`Delete ${filename}?`, { confirm: { type: 'boolean' } }));
      return text(action === 'accept' ? `Deleted ${filename}.` : `Kept ${filename}.`);
    },
  );
  server.registerTool('multi_input', { description: 'Asks two things at once.', task: 'optional' }, async (ctx) => {
    const [name, colour] = await Promise.all([
      ctx.elicit(NAME),
      ctx.elicit(form('Which colour?', { colour: { type: 'string' } })),
    ]);
    return text(`${name.content?.name} likes ${colour.content?.colour ?? 'every colour'}.`);
  });
  server.registerTool(
    'test_tool_with_task',
    { description: 'Asks, and then becomes a task.', task: { support: 'optional', begin: 'when-told' } },
    async (ctx) => {
      const { content } = await ctx.elicit(NAME);
      await ctx.beginTask();
      return text(`Hello, ${content?.name}!`);
    },
  );
}
