import { withClient } from './connect.mjs';

export const playSchemas = {
  // The schema refers to an address on the network, which must not be fetched.
  'json-schema-ref-no-deref': (url) => withClient(url, {}, (client) => client.listTools()),

  'json-schema-2020-12-preservation': (url) =>
    withClient(url, {}, async (client) => {
      const { tools } = await client.listTools();
      const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
      await client.callTool({ name: 'json_schema_echo', arguments: { schema } });
    }),
};
