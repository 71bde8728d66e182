// A tool whose schemas have many members, checked by the validator of JSON Schema.
import { fromJsonSchema } from 'crosspoint/schema';
import { McpServer } from 'crosspoint/server';
import { argumentsOf, schemaOf, SERVER_INFO } from '../members.mjs';
import { talkTo } from './talk.mjs';

function makeServer(count) {
  const server = new McpServer(SERVER_INFO);
  const schemas = { inputSchema: fromJsonSchema(schemaOf(count)), outputSchema: fromJsonSchema(schemaOf(count)) };
  server.registerTool('echo', schemas, (args) => ({ content: [], structuredContent: args }));
  return server;
}

export function start() {
  let server;
  let kept = [];
  let ask;
  let args;
  return {
    commands: {
      async make({ count, times, isKept = false }) {
        for (let left = times; left > 0; left -= 1) {
          server = makeServer(count);
          if (isKept) kept.push(server);
        }
        args = argumentsOf(count);
        ask = await talkTo(server);
      },
      forget() {
        kept = [];
        server = ask = args = undefined;
      },
      async call({ times }) {
        for (let left = times; left > 0; left -= 1) {
          const { structuredContent } = await ask('tools/call', { name: 'echo', arguments: args });
          if (structuredContent?.m0 !== 'a text') throw new Error('The arguments did not come back.');
        }
      },
    },
  };
}
