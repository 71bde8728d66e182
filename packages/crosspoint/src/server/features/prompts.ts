import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { contentFault, isMimeType } from '../../protocol/content.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { PromptArgument } from '../../protocol/prompts.ts';
import { isAbsoluteUri } from '../../protocol/resources.ts';
import { described } from '../../runtime/described.ts';
import { describeIssues, type JsonSchema } from '@crosspoint/json-schema/internal';
import { InputRequired } from '../asking/input-required.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import { refuseWithoutScopes } from '../callers/needed-scopes.ts';
import { isOffered, type Registry } from '../offering/registry.ts';

/** Answers `prompts/get`. Missing, unknown-typed and invalid arguments are protocol errors: a person filled them in, not a model. */
export async function getPrompt(
  registry: Registry,
  { params }: HandledRequest,
  ctx: ServerContext,
): Promise<JsonObject> {
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string') throw new ProtocolError('invalid-params', 'prompts/get needs the name of a prompt.');
  const prompt = registry.prompts.get(name);
  if (prompt === undefined || !isOffered(prompt, ctx))
    throw new ProtocolError('prompt-not-found', `Unknown prompt: ${name}`);
  refuseWithoutScopes(prompt, ctx);
  if (!isJsonObject(given) || !Object.values(given).every((value) => typeof value === 'string'))
    throw new ProtocolError('invalid-params', `The arguments of ${name} must be strings.`);
  const parsed = prompt.args === undefined ? { ok: true as const, value: given } : await prompt.args.parse(given);
  if (!parsed.ok)
    throw new ProtocolError('invalid-params', `Invalid arguments for prompt ${name}: ${describeIssues(parsed.issues)}`);
  return checkMessages(name, await prompt.run(parsed.value, ctx));
}

function checkMessages(name: string, result: unknown): JsonObject {
  if (result instanceof InputRequired) return result as object as JsonObject;
  if (!isJsonObject(result) || !Array.isArray(result['messages']))
    throw new ProtocolError(
      'internal',
      `The prompt ${name} returned ${isJsonObject(result) ? 'an object without a list of messages' : described(result)}. Return { messages: [{ role: 'user', content: { type: 'text', text: '…' } }] }.`,
    );
  for (const message of result['messages']) {
    const fault = messageFault(message);
    if (fault !== undefined)
      throw new ProtocolError('internal', `The prompt ${name} returned a message that is not valid: ${fault}.`);
  }
  return result;
}

function messageFault(message: unknown): string | undefined {
  if (!isJsonObject(message)) return 'it is not an object';
  if (message['role'] !== 'user' && message['role'] !== 'assistant') return 'the role must be user or assistant';
  const { content } = message;
  return (
    contentFault(content) ??
    (isJsonObject(content) && isJsonObject(content['resource']) ? embeddedFault(content['resource']) : undefined)
  );
}

/** Stricter than for a tool: the protocol requires a valid URI and a MIME type of a prompt's embedded resources. */
function embeddedFault({ uri, mimeType }: JsonObject): string | undefined {
  if (typeof uri !== 'string' || !isAbsoluteUri(uri)) return 'an embedded resource needs an absolute URI';
  return isMimeType(mimeType) ? undefined : 'an embedded resource needs a MIME type';
}

/** The arguments of a prompt as its schema describes them. */
export function argumentsOf(schema: JsonSchema): PromptArgument[] {
  if (!isJsonObject(schema)) return [];
  const { properties, required } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, member]) => {
    const argument: PromptArgument = { name, required: needed.includes(name) };
    if (isJsonObject(member) && typeof member['description'] === 'string') argument.description = member['description'];
    if (isJsonObject(member) && typeof member['title'] === 'string') argument.title = member['title'];
    return argument;
  });
}
