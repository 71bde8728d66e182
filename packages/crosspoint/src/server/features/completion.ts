import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { MAX_COMPLETION_VALUES } from '../../protocol/completion.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Completer } from '../offering/completable.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import { isOffered, type Registry } from '../offering/registry.ts';

/** Answers `completion/complete`: suggestions, best match first unless the server leaves their order alone, a hundred at most. An argument without a completer has none. */
export async function complete(
  registry: Registry,
  { params }: HandledRequest,
  ctx: ServerContext,
): Promise<JsonObject> {
  const { ref, argument, context } = params;
  if (!isJsonObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string')
    throw new ProtocolError('invalid-params', 'completion/complete needs an argument with a name and a value.');
  const { name, value } = argument as { name: string; value: string };
  const completer = completerFor(registry, ref, name, ctx);
  // Without a total: nobody knows how many values there are.
  if (completer === undefined) return { completion: { values: [], hasMore: false } };
  const chosen = readChosen(context);
  const suggested = await completer(value, chosen && { arguments: chosen }, ctx);
  const given = suggested.map(String);
  const values = registry.ranksCompletions ? rank([...new Set(given)], value) : given;
  return {
    completion: {
      values: values.slice(0, MAX_COMPLETION_VALUES),
      total: values.length,
      hasMore: values.length > MAX_COMPLETION_VALUES,
    },
  };
}

function completerFor(registry: Registry, ref: unknown, argument: string, ctx: ServerContext): Completer | undefined {
  if (isJsonObject(ref) && ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') {
    const prompt = registry.prompts.get(ref['name']);
    if (prompt === undefined || !isOffered(prompt, ctx))
      throw new ProtocolError('prompt-not-found', `Unknown prompt: ${ref['name']}`);
    return prompt.completers.get(argument);
  }
  if (isJsonObject(ref) && ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string') {
    const { uri } = ref;
    for (const entry of registry.templates.values()) {
      if (entry.definition.uriTemplate === uri && isOffered(entry, ctx))
        return entry.template.completeCallback(argument);
    }
    if (isOffered(registry.resources.get(uri), ctx)) return undefined;
    throw new ProtocolError('invalid-params', `Unknown resource template: ${uri}`);
  }
  throw new ProtocolError('invalid-params', 'completion/complete needs a ref of type ref/prompt or ref/resource.');
}

function readChosen(context: unknown): Record<string, string> | undefined {
  if (!isJsonObject(context) || !isJsonObject(context['arguments'])) return undefined;
  const entries = Object.entries(context['arguments']);
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    throw new ProtocolError('invalid-params', 'context.arguments must be strings.');
  return Object.fromEntries(entries);
}

/** Ranks values: exact matches, then those that begin alike, then those that contain the text, then the rest; otherwise in the completer's order. */
function rank(values: string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  const score = (value: string): number => {
    const candidate = value.toLowerCase();
    if (candidate === wanted) return 0;
    if (candidate.startsWith(wanted)) return 1;
    return candidate.includes(wanted) ? 2 : 3;
  };
  return values
    .map((value, index) => ({ value, index, score: score(value) }))
    .sort((a, b) => a.score - b.score || a.index - b.index)
    .map((item) => item.value);
}
