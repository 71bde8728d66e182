// A server with tools, resources and prompts, as many of each. The tools share a schema, so that its library is no part of what is measured.
import { McpServer } from 'crosspoint/server';
import * as z from 'zod';
import { LISTS, offersAt, SERVER_INFO, USES } from '../offers.mjs';
import { talkTo } from './talk.mjs';

const inputSchema = z.object({ a: z.number() });
const argsSchema = { a: z.string() };

function makeServer(count) {
  const server = new McpServer(SERVER_INFO);
  let tool;
  for (let at = 0; at < count; at += 1) {
    const { name, uri, description } = offersAt(at);
    tool = server.registerTool(name, { description, inputSchema }, ({ a }) => ({
      content: [{ type: 'text', text: String(a) }],
    }));
    server.registerResource(name, uri, { description }, () => ({ contents: [{ uri, text: name }] }));
    server.registerPrompt(name, { description, argsSchema }, ({ a }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: a } }],
    }));
  }
  return { server, tool };
}

export function start() {
  let made;
  let kept = [];
  let ask;
  let size = 0;
  return {
    commands: {
      async make({ count, times, isKept = false }) {
        for (let left = times; left > 0; left -= 1) {
          made = makeServer(count);
          if (isKept) kept.push(made);
        }
        size = count;
        ask = await talkTo(made.server);
      },
      forget() {
        kept = [];
        made = ask = undefined;
      },
      async list({ times }) {
        for (let left = times; left > 0; left -= 1) {
          made.tool.update({ description: `Changed ${left} times more` });
          for (const [method, member] of LISTS) {
            const { length } = (await ask(method, {}))[member];
            if (length !== size) throw new Error(`${method} has ${length} in place of ${size}.`);
          }
        }
      },
      async use({ times }) {
        for (let left = times; left > 0; left -= 1)
          for (const [method, params] of USES(left, size)) await ask(method, params);
      },
    },
  };
}
