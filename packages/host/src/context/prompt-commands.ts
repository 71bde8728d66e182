import type { Prompt } from 'crosspoint/client';
import { visibleLine } from '../values/visible-text.ts';

/** A prompt as a command that a user can choose. */
export interface PromptCommand {
  /** `/` and the name of the prompt in the catalogue. */
  readonly command: string;
  readonly name: string;
  readonly server: string;
  /** Title and description for people, unseen characters made visible. */
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly isRequired: boolean }[];
}

/** Prompts as commands, those that begin with the typed text first, then those that contain it. */
export function promptCommands(
  prompts: readonly { readonly name: string; readonly server: string; readonly prompt: Prompt }[],
  typed: string = '',
): PromptCommand[] {
  const wanted = typed.replace(/^\//, '').toLowerCase();
  const commands = prompts.map(({ name, server, prompt }) => ({
    command: `/${name}`,
    name,
    server,
    title: visibleLine(prompt.title ?? prompt.name),
    description: visibleLine(prompt.description ?? ''),
    arguments: (prompt.arguments ?? []).map((argument) => ({
      name: argument.name,
      description: visibleLine(argument.description ?? ''),
      isRequired: argument.required === true,
    })),
  }));
  const begins = new Set(commands.filter(({ name }) => name.toLowerCase().startsWith(wanted)));
  const contains = commands.filter(
    (one) => !begins.has(one) && `${one.name} ${one.title}`.toLowerCase().includes(wanted),
  );
  return [...begins, ...contains];
}

/** A wrong set of arguments for a prompt. */
export class PromptArgumentsError extends TypeError {
  override readonly name: string = 'PromptArgumentsError';
}

/** Throws when an argument is missing or not one of the prompt's: the user is told before the server is asked. */
export function checkPromptArguments(prompt: Prompt, given: Readonly<Record<string, string>>): void {
  const known = prompt.arguments ?? [];
  const missing = known.filter(({ name, required }) => required === true && given[name] === undefined);
  if (missing.length > 0)
    throw new PromptArgumentsError(`The prompt ${prompt.name} needs ${missing.map(({ name }) => name).join(', ')}.`);
  const unknown = Object.keys(given).filter((name) => known.every((argument) => argument.name !== name));
  if (unknown.length > 0)
    throw new PromptArgumentsError(
      `The prompt ${prompt.name} has no argument ${unknown.join(', ')}; it has ${known.map(({ name }) => name).join(', ') || 'none'}.`,
    );
}
