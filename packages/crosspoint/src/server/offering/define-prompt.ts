import type { McpServer } from '../mcp-server.ts';
import type { PromptCallback, PromptConfig, RegisteredPrompt } from './registrations.ts';

/** A prompt that belongs to no server yet. Its type knows its name and its arguments. */
export interface PromptDefinition<Name extends string = string, Args extends object | undefined = object | undefined> {
  readonly name: Name;
  readonly config: PromptConfig<Args>;
  register(server: Pick<McpServer, 'registerPrompt'>): RegisteredPrompt;
}

/** Defines a prompt for `defineServer`, or for `register` on any server. Nothing is checked before that. */
export function definePrompt<const Name extends string, Args extends object | undefined = undefined>(
  name: Name,
  config: PromptConfig<Args>,
  callback: PromptCallback<Args>,
): PromptDefinition<Name, Args> {
  return { name, config, register: (server) => server.registerPrompt(name, config, callback) };
}
