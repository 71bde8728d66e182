import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import { CHOICES, DEFAULTS, IDENTITY, object } from '../server/forms.mjs';
import { text } from './offers.mjs';

const question = (prompt) => ({
  messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
  maxTokens: 100,
});
const form = (message, properties) => ({ message, requestedSchema: object(properties, Object.keys(properties)) });
const NAME = form('What is your name?', { name: { type: 'string' } });
const CONFIRM = form('Please confirm.', { ok: { type: 'boolean' } });

/** A tool that asks once, without a state, and makes a text of the answers. */
const once =
  (requestsOf, write) =>
  (args, { mcpReq }) => {
    const requests = requestsOf(args);
    const answers = mcpReq.inputResponses ?? {};
    const isComplete = Object.keys(requests).every((key) => answers[key] !== undefined);
    return isComplete ? text(write(answers)) : inputRequired({ inputRequests: requests });
  };

const elicited = (messageOf, requestedSchema) =>
  once(
    (args) => ({ form: inputRequired.elicit({ message: messageOf(args), requestedSchema }) }),
    ({ form: { action, content = {} } }) => `User response: action=${action}, content=${JSON.stringify(content)}`,
  );

const sampled = (promptOf) =>
  once(
    (args) => ({ sampling: inputRequired.createMessage(question(promptOf(args))) }),
    ({ sampling }) => `LLM response: ${JSON.stringify(sampling.content)}`,
  );

/** A tool that asks in rounds, and keeps what it knows in its state. `rounds` are the questions of each. */
const inRounds = (rounds, write) => async (_args, ctx, codec) => {
  const kept = ctx.mcpReq.requestState() ?? { round: 0, answers: {} };
  const answers = { ...kept.answers, ...ctx.mcpReq.inputResponses };
  const current = rounds[kept.round - 1] ?? {};
  const isAnswered = Object.keys(current).every((key) => answers[key] !== undefined);
  const round = isAnswered ? kept.round : kept.round - 1;
  if (round === rounds.length) return text(write(answers));
  const requestState = await codec.mint({ round: round + 1, answers }, ctx);
  return inputRequired({ inputRequests: rounds[round], requestState });
};

const elicit = (params) => inputRequired.elicit(params);

/** Tools that ask, in the way that serves both families, by name. */
export const ROUND_TOOLS = {
  test_sampling: {
    inputSchema: object({ prompt: { type: 'string' } }, ['prompt']),
    run: sampled(({ prompt }) => prompt),
  },
  test_elicitation: {
    inputSchema: object({ message: { type: 'string' } }, ['message']),
    run: elicited(({ message }) => message, IDENTITY),
  },
  test_elicitation_sep1034_defaults: { run: elicited(() => 'Please review the form fields with defaults', DEFAULTS) },
  test_elicitation_sep1330_enums: { run: elicited(() => 'Please select options from the enum fields', CHOICES) },
  test_streaming_elicitation: { run: elicited(() => 'Please provide your information', IDENTITY) },
  test_missing_capability: { run: sampled(() => 'Hello') },
  test_input_required_result_elicitation: {
    run: (_args, { mcpReq }) => {
      const content = acceptedContent(mcpReq.inputResponses, 'user_name');
      if (content === undefined) return inputRequired({ inputRequests: { user_name: elicit(NAME) } });
      return text(`Hello, ${String(content.name)}!`);
    },
  },
  test_input_required_result_sampling: { run: sampled(() => 'What is the capital of France?') },
  test_input_required_result_list_roots: {
    run: once(
      () => ({ roots: inputRequired.listRoots() }),
      ({ roots }) => `There are ${roots.roots.length} roots.`,
    ),
  },
  test_input_required_result_request_state: { run: inRounds([{ confirm: elicit(CONFIRM) }], () => 'state-ok') },
  test_input_required_result_tampered_state: { run: inRounds([{ confirm: elicit(CONFIRM) }], () => 'state-ok') },
  test_input_required_result_multiple_inputs: {
    run: inRounds(
      [
        {
          name: elicit(NAME),
          greeting: inputRequired.createMessage(question('Generate a greeting.')),
          roots: inputRequired.listRoots(),
        },
      ],
      (answers) => JSON.stringify(answers),
    ),
  },
  test_input_required_result_multi_round: {
    run: inRounds(
      [{ name: elicit(NAME) }, { color: elicit(form('Which colour?', { color: { type: 'string' } })) }],
      ({ name, color }) => `${name.content?.name} likes ${color.content?.color}.`,
    ),
  },
  test_input_required_result_capabilities: {
    run: (_args, ctx) => {
      const [given] = Object.values(ctx.mcpReq.inputResponses ?? {});
      if (given !== undefined) return text(JSON.stringify(given));
      const { elicitation } = ctx.mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
      const request = elicitation ? elicit(NAME) : inputRequired.createMessage(question('Say something.'));
      return inputRequired({ inputRequests: { ask: request } });
    },
  },
};

export const ROUND_PROMPT = {
  name: 'test_input_required_result_prompt',
  run: ({ mcpReq }) => {
    const content = acceptedContent(mcpReq.inputResponses, 'user_context');
    if (content === undefined) {
      const ask = elicit(form('What is the context?', { context: { type: 'string' } }));
      return inputRequired({ inputRequests: { user_context: ask } });
    }
    return { messages: [{ role: 'user', content: { type: 'text', text: `Context: ${String(content.context)}` } }] };
  },
};
