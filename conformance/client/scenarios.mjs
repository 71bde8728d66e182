import { playAsking } from './asking.mjs';
import { playAuthorization } from './authorization.mjs';
import { withClient } from './connect.mjs';
import { playHeaders } from './headers.mjs';
import { playSchemas } from './schemas.mjs';
import { playSkills } from './skills.mjs';

const only = (work) => (url) => withClient(url, {}, work);

/** The behaviour of the client in each scenario, given the server's address and the suite's parameters. */
export const SCENARIOS = new Map(
  Object.entries({
    initialize: only((client) => client.listTools()),
    tools_call: only(async (client) => {
      await client.listTools();
      await client.callTool({ name: 'add_numbers', arguments: { a: 5, b: 3 } });
    }),
    'sse-retry': only(async (client) => {
      await client.listTools();
      await client.callTool({ name: 'test_reconnection', arguments: {} });
    }),
    ...playAsking,
    ...playAuthorization,
    ...playHeaders,
    ...playSchemas,
    ...playSkills,
  }),
);
