import type { TransportClient } from '../client/client.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import type {
  ElicitFormParams,
  ElicitParams,
  ElicitResult,
  ElicitUrlParams,
} from '../protocol/elicitation/elicitation.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { AskMethod } from '../protocol/outcome.ts';
import type { ListRootsResult, Root } from '../protocol/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Awaitable } from '../runtime/awaitable.ts';

/** An answer, or a function that finds it from the question. */
type Saying<Params, T> = T | ((params: Params) => Awaitable<T>);
type Content = NonNullable<ElicitResult['content']>;

/** One answer of a script, and the kind of question it is for. Made by `answer`. */
export interface ScriptedAnswer {
  readonly method: AskMethod;
  /** Whether it answers a form or a URL to visit. */
  readonly mode?: 'form' | 'url';
  /** The name of this answer in error messages. */
  readonly title: string;
  respond(params: JsonObject): Awaitable<object>;
}

/** A question that a server asked. */
export interface AskedQuestion {
  readonly method: AskMethod;
  readonly params: JsonObject;
}

async function said<Params, T>(saying: Saying<Params, T>, params: JsonObject): Promise<T> {
  return typeof saying === 'function'
    ? (saying as (given: Params) => Awaitable<T>)(params as object as Params)
    : saying;
}

function elicited(title: string, result: ElicitResult): ScriptedAnswer {
  return { method: 'elicitation/create', title, respond: () => result };
}

/** Makes the answers of a user, a model or a host in a test. */
export const answer: {
  /** Fills in a form. */
  accept(content?: Saying<ElicitFormParams, Content>): ScriptedAnswer;
  /** Agrees to visit a URL. */
  visit(look?: (params: ElicitUrlParams) => Awaitable<void>): ScriptedAnswer;
  decline(): ScriptedAnswer;
  cancel(): ScriptedAnswer;
  /** Answers a sampling request, as the model. */
  sample(message: Saying<CreateMessageParams, string | CreateMessageResult>): ScriptedAnswer;
  roots(...roots: readonly (string | Root)[]): ScriptedAnswer;
  /** Answers with an error. */
  fail(method: AskMethod, error: string | ProtocolError): ScriptedAnswer;
} = {
  accept: (content = {}) => ({
    method: 'elicitation/create',
    mode: 'form',
    title: 'accept',
    respond: async (params) => ({ action: 'accept', content: await said(content, params) }),
  }),
  visit: (look) => ({
    method: 'elicitation/create',
    mode: 'url',
    title: 'visit',
    respond: async (params) => {
      await look?.(params as object as ElicitUrlParams);
      return { action: 'accept' };
    },
  }),
  decline: () => elicited('decline', { action: 'decline' }),
  cancel: () => elicited('cancel', { action: 'cancel' }),
  sample: (message) => ({
    method: 'sampling/createMessage',
    title: 'sample',
    respond: async (params) => sampled(await said(message, params)),
  }),
  roots: (...roots) => ({
    method: 'roots/list',
    title: 'roots',
    respond: (): ListRootsResult => ({ roots: roots.map((root) => (typeof root === 'string' ? { uri: root } : root)) }),
  }),
  fail: (method, error) => ({
    method,
    title: 'fail',
    respond: () => {
      throw typeof error === 'string' ? new ProtocolError('user-rejected', error) : error;
    },
  }),
};

function sampled(message: string | CreateMessageResult): CreateMessageResult {
  if (typeof message !== 'string') return message;
  return { role: 'assistant', content: { type: 'text', text: message }, model: 'scripted', stopReason: 'endTurn' };
}

/** The capabilities of a client with a script, unless it sets its own: it can be asked everything. */
export const ASKABLE: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

const METHODS: readonly AskMethod[] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/** Thrown when the script was not followed. */
export class ScriptError extends Error {
  override readonly name: string = 'ScriptError';
}

/**
 * Answers the questions of servers from a list. Questions of one kind are answered in the order of the list; kinds do not wait for each other.
 * A question without an answer is refused, and `verify` reports it.
 */
export class ScriptedAnswers {
  /** The questions asked so far. */
  readonly asked: AskedQuestion[] = [];
  readonly #left: ScriptedAnswer[];
  readonly #unexpected: string[] = [];

  constructor(answers: readonly ScriptedAnswer[]) {
    this.#left = [...answers];
  }

  /** Sets the client's handlers. Call it before the client connects; the client must have declared the capabilities. */
  install(client: TransportClient): void {
    const capabilities: object = client.getClientCapabilities();
    for (const method of METHODS) {
      const capability = method.slice(0, method.indexOf('/'));
      if (capability in capabilities)
        client.setRequestHandler(method as string, ({ params }) => this.#respond(method, params ?? {}));
    }
  }

  /** Throws `ScriptError` when a question had no answer in the script, or answers are left over. */
  verify(): void {
    const unused = this.#left.map(({ method, title }) => `never asked: ${method}, to be answered with "${title}"`);
    const faults = [...this.#unexpected, ...unused];
    if (faults.length > 0) throw new ScriptError(['The script was not followed:', ...faults].join('\n  - '));
  }

  async #respond(method: AskMethod, params: JsonObject): Promise<object> {
    this.asked.push({ method, params });
    const at = this.#left.findIndex((one) => one.method === method);
    const next = this.#left[at];
    const mode = method === 'elicitation/create' ? ((params as object as ElicitParams).mode ?? 'form') : undefined;
    if (next === undefined) throw this.#refusal(`asked, but no answer is left: ${describe(method, params)}`);
    if (next.mode !== undefined && next.mode !== mode)
      throw this.#refusal(`asked for a ${mode}, but the next answer is "${next.title}": ${describe(method, params)}`);
    this.#left.splice(at, 1);
    return next.respond(params);
  }

  #refusal(fault: string): ProtocolError {
    this.#unexpected.push(fault);
    return new ProtocolError('user-rejected', `The script was not followed: ${fault}`);
  }
}

function describe(method: AskMethod, params: JsonObject): string {
  const { message } = params;
  return typeof message === 'string' ? `${method}, “${message}”` : method;
}
