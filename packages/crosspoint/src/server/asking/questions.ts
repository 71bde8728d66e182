import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import { formSchema } from '../../protocol/elicitation-form.ts';
import type { ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams } from '../../protocol/elicitation.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Ask } from '../../protocol/outcome.ts';
import type { ListRootsResult, Root } from '../../protocol/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/sampling.ts';
import { prepareSchema, type AnySchema, type JsonSchema, type SchemaOutput, type ValidationIssue } from '../../schema/index.ts';
import type { AskOptions } from '../edge.ts';

/** Someone who can be asked: the request being handled, or a connection outside of any. */
export interface Askable {
  readonly capabilities: ClientCapabilities;
  ask(ask: Ask, options: AskOptions, key?: string): Promise<JsonObject>;
}

/** A form whose answer is typed and checked by the schema it was asked with. */
export interface FormQuestion<S extends AnySchema> {
  readonly message: string;
  readonly schema: S;
  /** A name that stays the same when the call runs again; needed only where the text of the question changes. */
  readonly key?: string;
}

export type FormAnswer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' }
  /** The client sent something that does not fit the schema. */
  | { readonly action: 'invalid'; readonly issues: readonly ValidationIssue[] };

/** A question in the protocol's own shape. */
export type RawQuestion = (ElicitFormParams | ElicitUrlParams) & { readonly key?: string };

const forms = new WeakMap<object, JsonObject>();

/** Converting a schema costs more than asking: once per schema. */
function formOf(schema: AnySchema): JsonObject {
  let form = forms.get(schema);
  if (form === undefined) forms.set(schema, (form = formSchema(prepareSchema(schema, 'input').json satisfies JsonSchema)));
  return form;
}

export async function askForm<S extends AnySchema>(to: Askable, question: FormQuestion<S>, options: AskOptions): Promise<FormAnswer<SchemaOutput<S>>> {
  const { message, schema, key } = question;
  const answer = await askElicit(to, { message, requestedSchema: formOf(schema) }, options, key);
  if (answer.action !== 'accept') return { action: answer.action };
  const parsed = await prepareSchema(schema, 'input').parse(answer.content ?? {});
  return parsed.ok ? { action: 'accept', content: parsed.value } : { action: 'invalid', issues: parsed.issues };
}

export async function askElicit(to: Askable, params: ElicitParams, options: AskOptions, key?: string): Promise<ElicitResult> {
  const ask = elicitAsk(params);
  checkAsk(to.capabilities, ask);
  const answer = await to.ask(ask, options, key);
  const { action } = answer;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') throw badAnswer('elicitation/create', 'action must be accept, decline or cancel');
  return answer as unknown as ElicitResult;
}

function elicitAsk(params: ElicitParams): Ask {
  if (params.mode === 'url') return { method: 'elicitation/create', params: { ...params } };
  return { method: 'elicitation/create', params: { ...params, mode: 'form', requestedSchema: formSchema(params.requestedSchema) } };
}

export async function askCreateMessage(to: Askable, params: CreateMessageParams, options: AskOptions, key?: string): Promise<CreateMessageResult> {
  const ask: Ask = { method: 'sampling/createMessage', params: { ...params } };
  checkAsk(to.capabilities, ask);
  const answer = await to.ask(ask, options, key);
  if (typeof answer['model'] !== 'string' || (answer['role'] !== 'user' && answer['role'] !== 'assistant') || typeof answer['content'] !== 'object') {
    throw badAnswer('sampling/createMessage', 'role, content and model are required');
  }
  return answer as unknown as CreateMessageResult;
}

export async function askListRoots(to: Askable, options: AskOptions, key?: string): Promise<Root[]> {
  const ask: Ask = { method: 'roots/list', params: {} };
  checkAsk(to.capabilities, ask);
  const { roots } = (await to.ask(ask, options, key)) as Partial<ListRootsResult>;
  if (!Array.isArray(roots) || !roots.every((root) => isJsonObject(root) && typeof root['uri'] === 'string')) throw badAnswer('roots/list', 'roots must be a list of objects with a uri');
  return roots;
}

/** Whether a request to the client is a question that every family has words for. */
export function isAskMethod(method: string): method is Ask['method'] {
  return method === 'elicitation/create' || method === 'sampling/createMessage' || method === 'roots/list';
}

/** Throws `missing-capability` for a question that the client has not said it can be asked. */
export function checkAsk({ elicitation, sampling, roots }: ClientCapabilities, { method, params }: Ask): void {
  if (method === 'elicitation/create') {
    const url = params['mode'] === 'url';
    // A client that says only `elicitation: {}` means forms.
    const can = elicitation !== undefined && (url ? elicitation.url !== undefined : elicitation.form !== undefined || elicitation.url === undefined);
    if (!can) throw lacks(`elicitation${url ? ' by URL' : ''}`, { elicitation: url ? { url: {} } : { form: {} } });
  } else if (method === 'sampling/createMessage') {
    const withTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
    if (withTools && sampling?.tools === undefined) throw lacks('sampling with tools', { sampling: { tools: {} } });
    if (sampling === undefined) throw lacks('sampling', { sampling: {} });
  } else if (roots === undefined) {
    throw lacks('roots', { roots: {} });
  }
}

function lacks(what: string, requiredCapabilities: ClientCapabilities): ProtocolError {
  return new ProtocolError('missing-capability', `The client has not declared ${what}.`, { requiredCapabilities });
}

function badAnswer(method: string, why: string): ProtocolError {
  return new ProtocolError('internal', `The client's answer to ${method} is not valid: ${why}.`);
}
