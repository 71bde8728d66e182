import { acceptedContent, inputRequired, text } from 'crosspoint/server';

const form = (message, properties) => ({
  message,
  requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
});

const NAME = form('What is your name?', { name: { type: 'string' } });
const CONFIRM = form('Please confirm.', { ok: { type: 'boolean' } });
const question = (prompt) => ({
  messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
  maxTokens: 100,
});

const greeting = ({ content }) => `Hello, ${content?.name ?? 'stranger'}!`;

/** The questions of each tool, and the text it makes of the answers. */
const TOOLS = {
  sampling: async (ctx) => JSON.stringify((await ctx.sample(question('What is the capital of France?'))).content),
  list_roots: async (ctx) => `There are ${(await ctx.listRoots()).length} roots.`,
  request_state: async (ctx) => {
    await ctx.elicit(CONFIRM);
    return 'state-ok';
  },
  multiple_inputs: async (ctx) => {
    const asked = [ctx.elicit(NAME), ctx.sample(question('Generate a greeting.')), ctx.listRoots()];
    return JSON.stringify(await Promise.all(asked));
  },
  multi_round: async (ctx) => {
    const name = greeting(await ctx.elicit(NAME));
    const { content } = await ctx.elicit(form('Which colour?', { color: { type: 'string' } }));
    return `${name} You like ${content?.color}.`;
  },
  tampered_state: async (ctx) => JSON.stringify(await ctx.elicit(CONFIRM)),
  capabilities: async (ctx) => {
    if (ctx.capabilities.elicitation === undefined) return JSON.stringify(await ctx.sample(question('Say something.')));
    return greeting(await ctx.elicit(NAME));
  },
};

/** Tools and a prompt that ask clients to which no request can be sent. */
export function registerInputRequired(server) {
  for (const [name, answer] of Object.entries(TOOLS)) {
    const config = { description: 'Asks before it answers, in however many rounds that takes.' };
    server.registerTool(`test_input_required_result_${name}`, config, async (ctx) => text(await answer(ctx)));
  }
  // In the explicit style, because the suite also answers this one without having been asked.
  const explicit = { description: 'Asks for a name, and reads the answer under the name of the question.' };
  server.registerTool('test_input_required_result_elicitation', explicit, (ctx) => {
    const content = acceptedContent(ctx.inputResponses, 'user_name');
    if (content === undefined) return inputRequired({ inputRequests: { user_name: inputRequired.elicit(NAME) } });
    return text(greeting({ content }));
  });
  const config = { description: 'A prompt that asks what it is about.' };
  server.registerPrompt('test_input_required_result_prompt', config, async (ctx) => {
    const about = form('What is the context?', { context: { type: 'string' } });
    const { content } = await ctx.elicit({ ...about, key: 'user_context' });
    return { messages: [{ role: 'user', content: { type: 'text', text: `Context: ${content?.context}` } }] };
  });
}
