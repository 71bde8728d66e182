import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { UNKNOWN_CAPABILITIES, type ClientCapabilities } from '../../protocol/capabilities.ts';
import { formSchema } from '../../protocol/elicitation/elicitation-form.ts';
import type {
  ElicitFormParams,
  ElicitParams,
  ElicitResult,
  ElicitUrlParams,
} from '../../protocol/elicitation/elicitation.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Ask } from '../../protocol/outcome.ts';
import type { ListRootsResult, Root } from '../../protocol/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/sampling.ts';
import { samplingAnswerFault, samplingFault } from '../../protocol/sampling-rules.ts';
import { noWords } from '../../revisions/faults.ts';
import type { Family, Revision } from '../../revisions/revision.ts';
import { describeIssues, type ValidationIssue } from '@crosspoint/json-schema/internal';
import type { AnySchema, SchemaOutput } from '../../schema/schema.ts';
import type { AskOptions } from '../calls/edge.ts';
import { formIssues, requireCheckable } from './form-answers.ts';
import { prepareForm } from './prepare-form.ts';

/** The client as a target of questions: during a request, or over a connection outside of any. */
export interface Askable {
  readonly capabilities: ClientCapabilities;
  readonly family: Family;
  ask(ask: Ask, options: AskOptions, key?: string): Promise<JsonObject>;
}

/** A form whose answer is typed and checked by the schema it was asked with. */
export interface FormQuestion<S extends AnySchema> {
  /** The question, in words for the user. */
  readonly message: string;
  /** Schema of the answer: an object of texts, numbers, yes-or-no and choices; nothing nested. */
  readonly schema: S;
  /** A name that stays the same when the handler runs again; needed only where the text of the question changes. */
  readonly key?: string;
}

/** The answer of the user; `content` only where it was accepted. */
export type FormAnswer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' }
  /** The client sent something that does not fit the schema. */
  | { readonly action: 'invalid'; readonly issues: readonly ValidationIssue[] };

/** A question in the protocol's own shape. */
export type RawQuestion = (ElicitFormParams | ElicitUrlParams) & { readonly key?: string };

export async function askForm<S extends AnySchema>(
  to: Askable,
  question: FormQuestion<S>,
  options: AskOptions,
): Promise<FormAnswer<SchemaOutput<S>>> {
  const { message, schema, key } = question;
  requireMessage(message);
  const prepared = prepareForm(schema);
  const requestedSchema = prepared.form;
  const ask: Ask = { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
  const answer = readElicitResult(await to.ask(checked(to, ask), options, key));
  if (answer.action !== 'accept') return { action: answer.action };
  const parsed = await prepared.parse(answer.content ?? {});
  return parsed.ok
    ? { action: 'accept', content: parsed.value as SchemaOutput<S> }
    : { action: 'invalid', issues: parsed.issues };
}

/** Asks with a form or a page in the protocol's own shape. An accepted form that does not fit is the client's error: this shape cannot report it otherwise. */
export async function askElicit(
  to: Askable,
  params: ElicitParams,
  options: AskOptions,
  key?: string,
): Promise<ElicitResult> {
  if (params.mode !== 'url' && isJsonObject(params.requestedSchema)) requireCheckable(params.requestedSchema);
  const ask = prepareAsk(to, { method: 'elicitation/create', params: { ...params, mode: params.mode ?? 'form' } });
  const answer = readElicitResult(await to.ask(ask, options, key));
  if (answer.action !== 'accept' || params.mode === 'url') return answer;
  const issues = formIssues(params.requestedSchema, answer.content ?? {});
  if (issues.length > 0)
    throw new ProtocolError('invalid-params', `The client's answer does not fit the form: ${describeIssues(issues)}`);
  return answer;
}

function readElicitResult(answer: JsonObject): ElicitResult {
  const { action } = answer;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel')
    throw badAnswer('elicitation/create', 'action must be accept, decline or cancel');
  return answer as unknown as ElicitResult;
}

export async function askCreateMessage(
  to: Askable,
  params: CreateMessageParams,
  options: AskOptions,
  key?: string,
): Promise<CreateMessageResult> {
  const ask = prepareAsk(to, { method: 'sampling/createMessage', params: { ...params } });
  const answer = await to.ask(ask, options, key);
  const fault = samplingAnswerFault(ask.params, answer);
  if (fault !== undefined) throw badAnswer('sampling/createMessage', fault);
  return answer as unknown as CreateMessageResult;
}

export async function askListRoots(to: Askable, options: AskOptions, key?: string): Promise<Root[]> {
  const { roots } = (await to.ask(
    checked(to, { method: 'roots/list', params: {} }),
    options,
    key,
  )) as Partial<ListRootsResult>;
  if (!Array.isArray(roots) || !roots.every((root) => isJsonObject(root) && typeof root['uri'] === 'string'))
    throw badAnswer('roots/list', 'roots must be a list of objects with a uri');
  return roots;
}

/** Checks a question of any style before it is asked. Throws `TypeError` for an invalid question that is not only relayed, and `missing-capability` for one that this client has not declared. */
export function prepareAsk(to: Pick<Askable, 'capabilities' | 'family'>, ask: Ask, isRelayed?: boolean): Ask {
  if (isRelayed) return checked(to, ask);
  if (ask.method === 'elicitation/create') return checked(to, { method: ask.method, params: elicitation(ask.params) });
  if (ask.method === 'sampling/createMessage') {
    const fault = samplingFault(ask.params);
    if (fault !== undefined) throw new TypeError(`This sampling request cannot be sent: ${fault}.`);
  }
  return checked(to, ask);
}

/** A question as a revision writes it. Throws for one that the revision has no words for. */
export function inWords(revision: Revision, ask: Ask, name = `This ${ask.method}`): Ask {
  const words = revision.writeAsk(ask);
  if (words === undefined) throw noWords(name, revision);
  return words;
}

function requireMessage(message: unknown): void {
  if (typeof message !== 'string' || message === '')
    throw new TypeError('An elicitation needs a message that says why it is made.');
}

function elicitation(params: JsonObject): JsonObject {
  const { message, mode, url } = params;
  requireMessage(message);
  if (mode !== undefined && mode !== 'form' && mode !== 'url')
    throw new TypeError(`The mode of an elicitation is "form" or "url", not ${JSON.stringify(mode)}.`);
  if (mode !== 'url') return { ...params, requestedSchema: formSchema(params['requestedSchema']) };
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) throw new TypeError('An elicitation by URL needs a url that is an absolute address.');
  if (parsed.username !== '' || parsed.password !== '')
    throw new TypeError('The url of an elicitation must not hold credentials: everyone on the way can read it.');
  return params;
}

/** Throws `missing-capability` for a question that the client has not declared. */
function checked({ capabilities, family }: Pick<Askable, 'capabilities' | 'family'>, ask: Ask): Ask {
  const { elicitation, sampling, roots } = capabilities;
  const { method, params } = ask;
  if (capabilities === UNKNOWN_CAPABILITIES)
    throw new ProtocolError(
      'cannot-ask',
      `${method}: the client cannot be asked anything, because its handshake is not remembered. Serve it with sessions.`,
    );
  if (method === 'elicitation/create') {
    const url = params['mode'] === 'url';
    // `elicitation: {}` alone declares forms.
    const can =
      elicitation !== undefined &&
      (url ? elicitation.url !== undefined : elicitation.form !== undefined || elicitation.url === undefined);
    if (!can)
      throw lacks(family, `elicitation${url ? ' by URL' : ''}`, { elicitation: url ? { url: {} } : { form: {} } });
  } else if (method === 'sampling/createMessage') {
    const withTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
    if (withTools && sampling?.tools === undefined)
      throw lacks(family, 'sampling with tools', { sampling: { tools: {} } });
    if (sampling === undefined) throw lacks(family, 'sampling', { sampling: {} });
    // Older revisions cannot declare context, so only there it may be requested without a declaration.
    const { includeContext = 'none' } = params;
    if (includeContext !== 'none' && sampling.context === undefined && family === 'per-request')
      throw lacks(family, 'sampling with context', { sampling: { context: {} } });
  } else if (roots === undefined) {
    throw lacks(family, 'roots', { roots: {} });
  }
  return ask;
}

/**
 * A question that a client with a handshake has not declared, or has no method for. Such a client has declared everything once and for all, so a tool tells its model, which can
 * go on without the answer; a client of the other family is told what to declare with the next request.
 */
export class UndeclaredQuestion extends ProtocolError {}

function lacks(family: Family, what: string, requiredCapabilities: ClientCapabilities): ProtocolError {
  const data = { requiredCapabilities };
  const lack = `The client has not declared ${what}`;
  if (family === 'per-request') return new ProtocolError('missing-capability', `${lack}.`, data);
  const hint = 'Go on without its answer, or use a client that declares it.';
  return new UndeclaredQuestion('missing-capability', `${lack}, so it cannot be asked. ${hint}`, data);
}

/** A question that the client has declared and has no method for, as behind a bridge that passes on declarations and no questions. */
export function unknownQuestion(method: string, cause: ProtocolError): ProtocolError {
  const what = `The client answers that it has no ${method}, although it declares it`;
  const hint = 'Go on without its answer, or use a client that has it.';
  return new UndeclaredQuestion('method-not-found', `${what}. ${hint}`, cause.data, { cause });
}

function badAnswer(method: string, why: string): ProtocolError {
  return new ProtocolError('internal', `The client's answer to ${method} is not valid: ${why}.`);
}
