import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import type { ElicitParams, ElicitResult } from '../protocol/elicitation.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { Ask } from '../protocol/outcome.ts';
import type { ListRootsResult, Root } from '../protocol/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { AskOptions } from './edge.ts';

/** Someone who can be asked: the request being handled, or a connection outside of any. */
export interface Askable {
  readonly capabilities: ClientCapabilities;
  ask(ask: Ask, options: AskOptions): Promise<JsonObject>;
}

export async function askElicit(to: Askable, params: ElicitParams, options: AskOptions): Promise<ElicitResult> {
  const elicitation = to.capabilities.elicitation;
  const url = params.mode === 'url';
  // A client that says only `elicitation: {}` means forms.
  const can = elicitation !== undefined && (url ? elicitation.url !== undefined : elicitation.form !== undefined || elicitation.url === undefined);
  if (!can) throw lacks(`elicitation${url ? ' by URL' : ''}`, { elicitation: url ? { url: {} } : { form: {} } });
  const answer = await to.ask({ method: 'elicitation/create', params: { ...params } }, options);
  const { action } = answer;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') throw badAnswer('elicitation/create', 'action must be accept, decline or cancel');
  return answer as unknown as ElicitResult;
}

export async function askCreateMessage(to: Askable, params: CreateMessageParams, options: AskOptions): Promise<CreateMessageResult> {
  const sampling = to.capabilities.sampling;
  const withTools = params.tools !== undefined || params.toolChoice !== undefined;
  if (withTools && sampling?.tools === undefined) throw lacks('sampling with tools', { sampling: { tools: {} } });
  if (sampling === undefined) throw lacks('sampling', { sampling: {} });
  const answer = await to.ask({ method: 'sampling/createMessage', params: { ...params } }, options);
  if (typeof answer['model'] !== 'string' || (answer['role'] !== 'user' && answer['role'] !== 'assistant') || typeof answer['content'] !== 'object') {
    throw badAnswer('sampling/createMessage', 'role, content and model are required');
  }
  return answer as unknown as CreateMessageResult;
}

export async function askListRoots(to: Askable, options: AskOptions): Promise<Root[]> {
  if (to.capabilities.roots === undefined) throw lacks('roots', { roots: {} });
  const answer = await to.ask({ method: 'roots/list', params: {} }, options);
  const { roots } = answer as Partial<ListRootsResult>;
  if (!Array.isArray(roots) || !roots.every((root) => isJsonObject(root) && typeof root['uri'] === 'string')) throw badAnswer('roots/list', 'roots must be a list of objects with a uri');
  return roots;
}

function lacks(what: string, requiredCapabilities: ClientCapabilities): ProtocolError {
  return new ProtocolError('missing-capability', `The client has not declared ${what}.`, { requiredCapabilities });
}

function badAnswer(method: string, why: string): ProtocolError {
  return new ProtocolError('internal', `The client's answer to ${method} is not valid: ${why}.`);
}
