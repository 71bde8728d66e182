import { catalogueName } from '@crosspoint/host';
import type { ResultOf } from '../operations.ts';
import type { Work } from '../work.ts';
import { missingCapability } from '../required-capability.ts';
import { checkedCompletion, checkedPrompt } from './checked-results.ts';
import { connectedClient } from './connected-client.ts';

export async function getPrompt(work: Work<'prompts.get'>): Promise<ResultOf<'prompts.get'>> {
  const { host, server, params, signal } = work;
  await connectedClient(work, 'prompts');
  return checkedPrompt(await host.getPrompt(catalogueName(server, params.prompt), params.arguments, { signal }));
}

export async function completeArgument(work: Work<'complete'>): Promise<ResultOf<'complete'>> {
  const { params, signal } = work;
  const client = await connectedClient(work);
  // A revision may have the method without a capability for it.
  const needs = client.revision?.methods.get('completion/complete')?.needs;
  if (needs !== undefined && client.getServerCapabilities()?.completions === undefined)
    throw missingCapability(work.server, needs);
  const { of, argument, chosen } = params;
  const ref =
    'prompt' in of
      ? ({ type: 'ref/prompt', name: of.prompt } as const)
      : ({ type: 'ref/resource', uri: of.template } as const);
  const context = Object.keys(chosen).length === 0 ? {} : { context: { arguments: { ...chosen } } };
  const options = signal === undefined ? {} : { signal };
  return checkedCompletion(await client.complete({ ref, argument, ...context }, options));
}
