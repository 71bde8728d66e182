import { withClient } from './connect.mjs';

/** The answer of a user who changes nothing in a form. */
function defaultsOf({ properties = {} }) {
  const given = Object.entries(properties).filter(([, field]) => field.default !== undefined);
  return Object.fromEntries(given.map(([name, field]) => [name, field.default]));
}

const answering = (content) => ({
  capabilities: { elicitation: { form: {} } },
  handlers: { 'elicitation/create': ({ params }) => ({ action: 'accept', content: content(params) }) },
});

/** All capabilities for being asked, without a handler for any question. */
const ASKABLE = { roots: {}, sampling: {}, elicitation: {} };

export const playAsking = {
  'elicitation-sep1034-client-defaults': (url) =>
    withClient(
      url,
      answering(({ requestedSchema }) => defaultsOf(requestedSchema)),
      (client) => client.callTool({ name: 'test_client_elicitation_defaults', arguments: {} }),
    ),

  'request-metadata': (url) => withClient(url, { capabilities: ASKABLE }, (client) => client.listTools()),

  'sep-2322-client-request-state': (url) =>
    withClient(
      url,
      answering(() => ({ confirmed: true })),
      async (client) => {
        await client.listTools();
        for (const name of ['echo_state', 'unrelated', 'no_state', 'no_result_type']) {
          await client.callTool({ name: `test_mrtr_${name}`, arguments: {} });
        }
      },
    ),
};
