import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import type { Suggest } from '../offering/completable.ts';
import { isOffered, type Registry } from '../offering/registry.ts';

/** Answers `completion/complete`. An argument without a completer has no suggestions. */
export async function complete(
  registry: Registry,
  { params }: HandledRequest,
  ctx: ServerContext,
): Promise<JsonObject> {
  const { ref, argument, context } = params;
  if (!isJsonObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string')
    throw new ProtocolError('invalid-params', 'completion/complete needs an argument with a name and a value.');
  const { name, value } = argument as { name: string; value: string };
  const suggest = completerFor(registry, ref, name, ctx);
  // Without a total: nobody knows how many values there are.
  if (suggest === undefined) return { completion: { values: [], hasMore: false } };
  return suggest(value, context, ctx, registry.ranksCompletions);
}

function completerFor(registry: Registry, ref: unknown, argument: string, ctx: ServerContext): Suggest | undefined {
  if (isJsonObject(ref) && ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') {
    const prompt = registry.prompts.get(ref['name']);
    if (prompt === undefined || !isOffered(prompt, ctx))
      throw new ProtocolError('prompt-not-found', `Unknown prompt: ${ref['name']}`);
    return prompt.completers.get(argument);
  }
  if (isJsonObject(ref) && ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string') {
    const { uri } = ref;
    for (const entry of registry.templates.values()) {
      if (entry.definition.uriTemplate === uri && isOffered(entry, ctx)) return entry.template.suggest(argument);
    }
    if (isOffered(registry.resources.get(uri), ctx)) return undefined;
    throw new ProtocolError('invalid-params', `Unknown resource template: ${uri}`);
  }
  throw new ProtocolError('invalid-params', 'completion/complete needs a ref of type ref/prompt or ref/resource.');
}
