import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ElicitFormParams, ElicitUrlParams } from '../../protocol/elicitation/elicitation.ts';
import type { Ask } from '../../protocol/outcome.ts';
import type { CreateMessageParams } from '../../protocol/sampling.ts';
import type { AnySchema } from '../../schema/index.ts';
import { prepareForm } from './prepare-form.ts';

/** The return value with which a handler in the explicit style asks: it runs again with `ctx.inputResponses` and `ctx.requestState`. */
export class InputRequired {
  readonly asks: Readonly<Record<string, Ask>>;
  readonly state: string | undefined;
  readonly relayed: boolean | undefined;

  constructor(asks: Readonly<Record<string, Ask>>, state: string | undefined, relayed?: boolean) {
    this.asks = asks;
    this.state = state;
    this.relayed = relayed;
  }
}

export interface InputRequiredSpec {
  /** Questions by name. */
  inputRequests?: Readonly<Record<string, Ask>>;
  /** Returned to the handler as `ctx.requestState`; sealed while the client carries it. */
  requestState?: string;
  /** The questions are those of others: only whether the client has declared them is checked, and their words are not changed. */
  relayed?: boolean;
}

/** Asks in the explicit style, in every family: at least one question or a state to come back with. */
function makeInputRequired({ inputRequests = {}, requestState, relayed }: InputRequiredSpec): InputRequired {
  if (Object.keys(inputRequests).length === 0 && requestState === undefined)
    throw new TypeError('inputRequired needs questions, a requestState, or both.');
  return new InputRequired(inputRequests, requestState, relayed);
}

/** A form in the explicit style; its schema is a JSON Schema, or one of a schema library. */
export interface ElicitInput extends Omit<ElicitFormParams, 'requestedSchema'> {
  requestedSchema: AnySchema;
}

interface InputRequiredMaker {
  (spec: InputRequiredSpec): InputRequired;
  elicit(params: ElicitInput): Ask;
  elicitUrl(params: Omit<ElicitUrlParams, 'mode'>): Ask;
  createMessage(params: CreateMessageParams): Ask;
  listRoots(): Ask;
}

export const inputRequired: InputRequiredMaker = /* @__PURE__ */ Object.assign(makeInputRequired, {
  elicit: (params: ElicitInput): Ask => ({
    method: 'elicitation/create',
    params: { mode: 'form', ...params, requestedSchema: prepareForm(params.requestedSchema).form },
  }),
  elicitUrl: (params: Omit<ElicitUrlParams, 'mode'>): Ask => ({
    method: 'elicitation/create',
    params: { mode: 'url', ...params },
  }),
  createMessage: (params: CreateMessageParams): Ask => ({
    method: 'sampling/createMessage',
    params: { ...params } as JsonObject,
  }),
  listRoots: (): Ask => ({ method: 'roots/list', params: {} }),
});
