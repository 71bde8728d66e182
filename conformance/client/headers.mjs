import { withClient } from './connect.mjs';

export const playHeaders = {
  'http-standard-headers': (url) =>
    withClient(url, {}, async (client) => {
      const { tools } = await client.listTools();
      for (const { name } of tools) await client.callTool({ name, arguments: {} });
      const { resources } = await client.listResources();
      for (const { uri } of resources) await client.readResource({ uri });
      const { prompts } = await client.listPrompts();
      for (const { name } of prompts) await client.getPrompt({ name });
    }),

  'http-custom-headers': (url, { toolCalls }) =>
    withClient(url, {}, async (client) => {
      await client.listTools();
      for (const { name, arguments: args } of toolCalls) await client.callTool({ name, arguments: args });
    }),

  // Most of the server's tools have invalid headers; the client must leave them out, so that every listed tool can be called.
  'http-invalid-tool-headers': (url) =>
    withClient(url, {}, async (client) => {
      const { tools } = await client.listTools();
      for (const { name } of tools) await client.callTool({ name, arguments: { region: 'us-east-1' } });
    }),
};
