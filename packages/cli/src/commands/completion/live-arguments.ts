import type { OpenServer } from '../../server/open-server.ts';
import type { OperationOptions } from '../../server/operations.ts';
import { givenNames, type Lookup } from './asked-for.ts';

type Owner = { readonly prompt: string } | { readonly template: string };

/** `NAME=` for each argument of a prompt or variable of a template, and for one whose name is typed the values that the server knows. */
export async function argumentsOf(
  server: OpenServer,
  of: Owner,
  { asked, current }: { readonly asked: Lookup; readonly current: string },
  options: OperationOptions,
): Promise<readonly string[]> {
  const [, name, value = ''] = /^([^=:]+)=(.*)$/.exec(current) ?? [];
  if (name !== undefined) {
    const { completion } = await server.request(
      'complete',
      { of, argument: { name, value }, chosen: chosen(asked) },
      options,
    );
    return completion.values.map((one) => `${name}=${one}`);
  }
  const given = givenNames(asked);
  const names = 'prompt' in of ? await promptNames(server, of.prompt, options) : await variableNames(of.template);
  return names.filter((one) => !given.has(one)).map((one) => `${one}=`);
}

async function promptNames(server: OpenServer, prompt: string, options: OperationOptions): Promise<readonly string[]> {
  const { prompts } = await server.request('prompts.list', {}, options);
  return (prompts.find(({ name }) => name === prompt)?.arguments ?? []).map(({ name }) => name);
}

async function variableNames(template: string): Promise<readonly string[]> {
  const { variablesOf } = await import('../../values/uri-template.ts');
  return variablesOf(template).all;
}

/** Arguments with their values that stand on the line already. */
function chosen({ before }: Lookup): Readonly<Record<string, string>> {
  const pairs = before.flatMap(({ word }) => {
    const [, name, value] = /^([^=:]+)=([^@].*)$/.exec(word) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}
