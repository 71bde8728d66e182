import type { JsonObject } from 'crosspoint';
import { isProtocolError, type ProtocolError, type ServerContext, type ServerExtension } from 'crosspoint/server';
import { ErrorCode, McpError } from '../types/errors.ts';
import { errorAsV1 } from './old-handler-errors.ts';
import { RegisteredHandles } from './registered-handles.ts';

export type Answer = NonNullable<ServerExtension['handlers']>[string];
type Request = Parameters<Answer>[0];
type Translate = (error: unknown, params: JsonObject, ctx: ServerContext) => JsonObject;

/** The answers of a server to calls, reads, prompts and completions, where v1 has other results or errors. */
export class OldAnswers {
  readonly tools: RegisteredHandles = new RegisteredHandles('Tool', 'name');
  readonly prompts: RegisteredHandles = new RegisteredHandles('Prompt', 'name');
  readonly resources: RegisteredHandles = new RegisteredHandles('Resource', 'uri');
  readonly templates: RegisteredHandles = new RegisteredHandles('Resource template', 'name');

  /** The answer to a method, with the failures of v1. */
  around(method: string, answer: Answer): Answer {
    const translate = this.#translators[method];
    if (translate === undefined) return answer;
    return (request, ctx) => {
      const failed = (error: unknown): JsonObject => translate(error, request.params, ctx);
      try {
        const result = answer(method === 'resources/read' ? this.#asParsed(request) : request, ctx);
        return result instanceof Promise ? result.catch(failed) : result;
      } catch (error) {
        return failed(error);
      }
    };
  }

  /** A read of the URI as `URL` writes it, which resolves ".." and encodes, unless a resource is registered just so. Throws for one that is none. */
  #asParsed(request: Request): Request {
    const { uri } = request.params;
    if (typeof uri !== 'string' || this.resources.has(uri)) return request;
    const { href } = new URL(uri);
    if (climbs(href)) throw invalid('The URI is refused: it climbs out of its folder.');
    return { ...request, params: { ...request.params, uri: href } };
  }

  readonly #translators: Readonly<Record<string, Translate>> = {
    'tools/call': (error, { name }) => {
      if (!isOwn(error, 'tool-not-found')) throw error;
      return { content: [{ type: 'text', text: invalid(this.tools.lacks(String(name))).message }], isError: true };
    },
    'prompts/get': (error, { name }) => {
      throw isOwn(error, 'prompt-not-found') ? invalid(this.prompts.lacks(String(name))) : errorAsV1(error);
    },
    'resources/list': (error) => {
      throw errorAsV1(error);
    },
    'resources/read': (error, { uri }, { family }) => {
      if (!isOwn(error, 'resource-not-found')) throw errorAsV1(error);
      // Clients of the per-request family know a missing resource by the data.
      throw invalid(this.resources.lacks(hrefOf(String(uri))), family === 'per-request' ? error.data : undefined);
    },
    'completion/complete': (error, { ref }) => {
      if (!isOwn(error, 'prompt-not-found')) throw errorAsV1(error);
      throw invalid(this.prompts.lacks((ref as { name: string }).name));
    },
  };
}

/** Whether the library itself found the fault, and no program. */
function isOwn(error: unknown, kind: ProtocolError['kind']): error is ProtocolError {
  return isProtocolError(error) && error.kind === kind && !McpError.prototype.isPrototypeOf(error);
}

const invalid = (message: string, data?: unknown): McpError => new McpError(ErrorCode.InvalidParams, message, data);

/** Whether a URI, whose open ".." are resolved, hides one by encoding it. Programs decode the variables that they take from it. */
function climbs(href: string): boolean {
  let current = href;
  for (let round = 0; round < 4; round++) {
    if (current.split(/[/\\?&=#]/).some((segment) => /^\.\.[. ]*$/.test(segment))) return true;
    const decoded = current.replaceAll(/%[0-7][0-9a-f]/gi, (triplet) =>
      String.fromCodePoint(Number.parseInt(triplet.slice(1), 16)),
    );
    if (decoded === current) return false;
    current = decoded;
  }
  return true;
}

const hrefOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).href : uri);
