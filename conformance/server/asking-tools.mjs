import { fromJsonSchema } from 'crosspoint/schema';
import { text } from 'crosspoint/server';
import { CHOICES, DEFAULTS, IDENTITY, object } from './forms.mjs';

const input = (...given) => fromJsonSchema(object(...given));

async function elicited(ctx, message, requestedSchema) {
  const { action, content = {} } = await ctx.elicit({ message, requestedSchema });
  return text(`User response: action=${action}, content=${JSON.stringify(content)}`);
}

/** Tools that ask the client something before they answer. */
export function registerAskingTools(server) {
  server.registerTool(
    'test_sampling',
    { description: 'Asks for a model completion.', inputSchema: input({ prompt: { type: 'string' } }, ['prompt']) },
    async ({ prompt }, ctx) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      const { content } = await ctx.sample({ messages, maxTokens: 100 });
      return text(`LLM response: ${JSON.stringify(content)}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user.', inputSchema: input({ message: { type: 'string' } }, ['message']) },
    ({ message }, ctx) => elicited(ctx, message, IDENTITY),
  );
  server.registerTool(
    'test_elicitation_sep1034_defaults',
    { description: 'Asks for values of every type, each with a default.' },
    (ctx) => elicited(ctx, 'Please review and update the form fields with defaults', DEFAULTS),
  );
  server.registerTool(
    'test_elicitation_sep1330_enums',
    { description: 'Asks for choices, offered in every way there is.' },
    (ctx) => elicited(ctx, 'Please select options from the enum fields', CHOICES),
  );
  server.registerTool('test_missing_capability', { description: 'Needs a client that can sample.' }, async (ctx) => {
    await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10 });
    return text('The client can sample.');
  });
  server.registerTool('test_streaming_elicitation', { description: 'Asks the user.' }, (ctx) =>
    elicited(ctx, 'Please provide your information', IDENTITY),
  );
}
