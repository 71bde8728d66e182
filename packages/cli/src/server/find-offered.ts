import type { Prompt, Tool } from 'crosspoint/client';
import { CliError } from '../errors/cli-error.ts';
import type { OpenServer } from './open-server.ts';
import { requireCapability } from './required-capability.ts';

/** The tool with exactly this name. A name that does not exist is an error with similar ones, and nothing is called. */
export async function findTool(server: OpenServer, name: string): Promise<Tool> {
  const { tools } = await server.request('tools.list', {});
  if (tools.length === 0) await requireCapability(server, 'tools');
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  throw new CliError(
    'usage',
    `The server "${server.name}" has no tool ${JSON.stringify(name)}, so nothing was called.`,
    {
      hint: 'crosspoint tools ls SERVER lists its tools.',
      mistyped: { word: name, among: tools.map((tool) => tool.name) },
    },
  );
}

/** The prompt with exactly this name; the same for one that does not exist. */
export async function findPrompt(server: OpenServer, name: string): Promise<Prompt> {
  const { prompts } = await server.request('prompts.list', {});
  if (prompts.length === 0) await requireCapability(server, 'prompts');
  const found = prompts.find((prompt) => prompt.name === name);
  if (found !== undefined) return found;
  throw new CliError('usage', `The server "${server.name}" has no prompt ${JSON.stringify(name)}. Nothing was sent.`, {
    hint: 'crosspoint prompts ls SERVER lists its prompts.',
    mistyped: { word: name, among: prompts.map((prompt) => prompt.name) },
  });
}
