import type {
  ClientCapabilities,
  CreateMessageResult as AnyCreateMessageResult,
  ElicitResult as AnyElicitResult,
  Implementation,
  ListRootsResult as AnyListRootsResult,
} from 'crosspoint';
import { AjvJsonSchemaValidator } from '../../validation/ajv-provider.ts';
import type { JsonSchemaType, jsonSchemaValidator } from '../../validation/types.ts';
import type { NotificationOptions, RequestOptions } from '../shared/protocol-options.ts';
import {
  ElicitResultSchema,
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
  type ElicitResult,
} from '../types/elicitation.ts';
import { ErrorCode, McpError } from '../types/errors.ts';
import { ListRootsResultSchema, type ListRootsRequest, type ListRootsResult } from '../types/roots.ts';
import {
  CreateMessageResultSchema,
  CreateMessageResultWithToolsSchema,
  type CreateMessageRequestParams,
  type CreateMessageRequestParamsBase,
  type CreateMessageRequestParamsWithTools,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
} from '../types/sampling.ts';
import { OldServer } from './old-server.ts';
import { samplingFault } from './sampling-fault.ts';
import { errorMessage } from '../shared/contain.ts';

type CreateMessageParams = Parameters<OldServer['createMessage']>[0];
type ElicitParams = Parameters<OldServer['elicitInput']>[0];

export interface AskingOptions {
  /** Whether a question for which the client has declared no capability is refused in the words of v1, or as the client itself refuses it. It is refused either way. */
  enforceStrictCapabilities?: boolean;
  /** Checks accepted answers to forms; this library's own validator when absent. */
  jsonSchemaValidator?: jsonSchemaValidator;
}

/** A server that asks its client as v1 does: with its refusals, its checks and its errors. */
export class AskingServer extends OldServer {
  readonly #isStrict: boolean;
  readonly #validators: jsonSchemaValidator;

  constructor(info: Implementation, options: ConstructorParameters<typeof OldServer>[1] & AskingOptions = {}) {
    super(info, options);
    this.#isStrict = options.enforceStrictCapabilities === true;
    this.#validators = options.jsonSchemaValidator ?? new AjvJsonSchemaValidator();
  }

  /** `elicitation: {}` reads as forms. */
  override getClientCapabilities(): ClientCapabilities | undefined {
    const declared = super.getClientCapabilities();
    const { elicitation } = declared ?? {};
    return elicitation !== undefined && Object.keys(elicitation).length === 0
      ? { ...declared, elicitation: { form: {} } }
      : declared;
  }

  /** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
  override async createMessage(
    params: CreateMessageRequestParamsBase | (CreateMessageParams & { tools?: undefined }),
    options?: RequestOptions,
  ): Promise<CreateMessageResult>;
  /** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
  override async createMessage(
    params: CreateMessageRequestParamsWithTools,
    options?: RequestOptions,
  ): Promise<CreateMessageResultWithTools>;
  /** @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
  override async createMessage(
    params: CreateMessageRequestParams | CreateMessageParams,
    options?: RequestOptions,
  ): Promise<AnyCreateMessageResult>;
  override async createMessage(
    params: CreateMessageRequestParams | CreateMessageParams,
    options?: RequestOptions,
  ): Promise<unknown> {
    const capabilities = this.getClientCapabilities();
    const fault = samplingFault(params as CreateMessageRequestParams, capabilities);
    if (fault !== undefined) throw new Error(fault);
    if (capabilities?.sampling === undefined) throw this.#undeclared('sampling', 'sampling/createMessage');
    const schema = params.tools ? CreateMessageResultWithToolsSchema : CreateMessageResultSchema;
    return this.request({ method: 'sampling/createMessage', params: { ...params } }, schema, options);
  }

  override async elicitInput(
    params: ElicitRequestFormParams | ElicitRequestURLParams | ElicitParams,
    options?: RequestOptions,
  ): Promise<ElicitResult & AnyElicitResult> {
    const { mode = 'form' } = params;
    const { elicitation } = this.getClientCapabilities() ?? {};
    if (elicitation?.[mode] === undefined) throw new Error(`Client does not support ${mode} elicitation.`);
    const question = { method: 'elicitation/create', params: { ...params, mode } };
    const answer = await this.request(question, ElicitResultSchema, options);
    if (mode === 'form' && answer.action === 'accept' && answer.content && 'requestedSchema' in params)
      this.#checkForm(params.requestedSchema as object as JsonSchemaType, answer.content);
    return answer as ElicitResult & AnyElicitResult;
  }

  override createElicitationCompletionNotifier(
    elicitationId: string,
    _options?: NotificationOptions,
  ): () => Promise<void> {
    if (this.getClientCapabilities()?.elicitation?.url === undefined)
      throw new Error('Client does not support URL elicitation (required for notifications/elicitation/complete)');
    return super.createElicitationCompletionNotifier(elicitationId);
  }

  /** @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28. */
  override async listRoots(
    params?: ListRootsRequest['params'],
    options?: RequestOptions,
  ): Promise<ListRootsResult & AnyListRootsResult> {
    if (this.getClientCapabilities()?.roots === undefined) throw this.#undeclared('listing roots', 'roots/list');
    return this.request({ method: 'roots/list', ...(params && { params }) }, ListRootsResultSchema, options) as Promise<
      ListRootsResult & AnyListRootsResult
    >;
  }

  /** v1 sends such a question where it is not strict, and the client refuses it. */
  #undeclared(feature: string, method: string): Error {
    return this.#isStrict
      ? new Error(`Client does not support ${feature} (required for ${method})`)
      : new McpError(ErrorCode.MethodNotFound, 'Method not found');
  }

  #checkForm(form: JsonSchemaType, content: unknown): void {
    let result;
    try {
      result = this.#validators.getValidator(form)(content);
    } catch (error) {
      const why = errorMessage(error);
      throw new McpError(ErrorCode.InternalError, `Error validating elicitation response: ${why}`);
    }
    if (!result.valid)
      throw new McpError(
        ErrorCode.InvalidParams,
        `Elicitation response content does not match requested schema: ${result.errorMessage}`,
      );
  }
}
