import type { JsonObject } from 'crosspoint';
import { isProtocolError, type ProtocolError, type ServerContext, type ServerExtension } from 'crosspoint/server';
import { ErrorCode, McpError } from '../types/errors.ts';
import { errorAsV1 } from './old-handler-errors.ts';
import { RegisteredHandles } from './registered-handles.ts';

export type Answer = NonNullable<ServerExtension['handlers']>[string];
type Translate = (error: unknown, params: JsonObject, ctx: ServerContext) => JsonObject;

/** The answers of a server to calls, reads, prompts and completions, where v1 has other results or errors. */
export class OldAnswers {
  readonly tools: RegisteredHandles<'name'> = new RegisteredHandles('name');
  readonly prompts: RegisteredHandles<'name'> = new RegisteredHandles('name');
  readonly resources: RegisteredHandles<'uri'> = new RegisteredHandles('uri');

  /** The answer to a method, with the failures of v1. */
  around(method: string, answer: Answer): Answer {
    const translate = this.#translators[method];
    if (translate === undefined) return answer;
    return (request, ctx) => {
      const failed = (error: unknown): JsonObject => translate(error, request.params, ctx);
      try {
        const result = answer(request, ctx);
        return result instanceof Promise ? result.catch(failed) : result;
      } catch (error) {
        return failed(error);
      }
    };
  }

  readonly #translators: Readonly<Record<string, Translate>> = {
    'tools/call': (error, { name }) => {
      if (!isOwn(error, 'tool-not-found')) throw error;
      return toolFailure(missing('Tool', String(name), this.tools).message);
    },
    'prompts/get': (error, { name }) => {
      throw isOwn(error, 'prompt-not-found') ? missing('Prompt', String(name), this.prompts) : errorAsV1(error);
    },
    'resources/list': (error) => {
      throw errorAsV1(error);
    },
    'resources/read': (error, { uri }, ctx) => {
      if (!isOwn(error, 'resource-not-found')) throw errorAsV1(error);
      // Clients of the per-request family know a missing resource by the data.
      throw missing(
        'Resource',
        hrefOf(String(uri)),
        this.resources,
        ctx.family === 'per-request' ? error.data : undefined,
      );
    },
    'completion/complete': (error, { ref }) => {
      if (!isOwn(error, 'prompt-not-found')) throw errorAsV1(error);
      throw missing('Prompt', (ref as { name: string }).name, this.prompts);
    },
  };
}

/** Whether the library itself found the fault, and no program. */
function isOwn(error: unknown, kind: ProtocolError['kind']): error is ProtocolError {
  return isProtocolError(error) && error.kind === kind && !McpError.prototype.isPrototypeOf(error);
}

function missing(
  what: string,
  key: string,
  known: RegisteredHandles<'name'> | RegisteredHandles<'uri'>,
  data?: unknown,
): McpError {
  const state = known.isDisabled(key) ? 'disabled' : 'not found';
  return new McpError(ErrorCode.InvalidParams, `${what} ${key} ${state}`, data);
}

export function toolFailure(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}

const hrefOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).href : uri);
