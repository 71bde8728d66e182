import { McpServer } from 'crosspoint/server';
import { registerAskingTools } from './asking-tools.mjs';
import { registerChangeTools } from './change-tools.mjs';
import { registerContentTools } from './content-tools.mjs';
import { registerInputRequired } from './input-required-tools.mjs';
import { registerPrompts } from './prompts.mjs';
import { registerResources } from './resources.mjs';
import { registerSchemaTools } from './schema-tools.mjs';
import { skills } from './skills.mjs';
import { registerStreamTools } from './stream-tools.mjs';
import { registerTaskTools } from './task-tools.mjs';

/** Everything that the suite's server scenarios call, under the names they call it by. */
export function createConformanceServer() {
  const server = new McpServer(
    { name: 'crosspoint-conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
    },
  );
  // The suite calls whichever tool is listed first with no arguments, and it has to succeed.
  registerContentTools(server);
  registerStreamTools(server);
  registerAskingTools(server);
  registerInputRequired(server);
  registerSchemaTools(server);
  registerChangeTools(server);
  registerTaskTools(server);
  registerResources(server);
  registerPrompts(server);
  skills.attach(server);
  return server;
}
