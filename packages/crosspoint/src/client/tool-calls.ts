import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import { isProtocolError, TransportError } from '../protocol/errors.ts';
import { mirroredText, readMirroredParams } from '../protocol/mirrored-params.ts';
import type { CallToolParams, ListToolsResult, Tool } from '../protocol/tools.ts';
import { writeHeaderValue } from '../wire/header-value.ts';
import type { CallDetails, Calls } from './calls.ts';
import type { Link } from './link.ts';
import type { OutputCheck, OutputChecks } from './output-checks.ts';
import type { CallToolOptions, ListRequestOptions } from './request-options.ts';

export interface ToolCallsPort {
  readonly link: Link;
  readonly calls: Calls;
  readonly outputs: OutputChecks;
  onproblem(problem: Error): void;
}

/** Lists and calls tools, with all that a client must know of a tool to call it: its output schema, its mirrored arguments, its hints. */
export class ToolCalls {
  readonly #port: ToolCallsPort;
  readonly #warned = new Set<string>();

  constructor(port: ToolCallsPort) {
    this.#port = port;
  }

  async list(params: JsonObject | undefined, options?: ListRequestOptions): Promise<ListToolsResult> {
    const listed = (await this.#port.calls.list('tools/list', params, options)) as object as ListToolsResult;
    const usable = this.#mirrors ? { ...listed, tools: listed.tools.filter((tool) => this.#isUsable(tool)) } : listed;
    this.#port.outputs.learn(usable.tools, params?.['cursor'] === undefined && listed.nextCursor === undefined);
    return usable;
  }

  call(params: CallToolParams, options: CallToolOptions | undefined): Promise<JsonObject> {
    try {
      const tool = options?.toolDefinition ?? this.#port.outputs.toolNamed(params.name);
      // Taken before the call is sent: a list that changes meanwhile must not change what the result is held against.
      const check = this.#port.outputs.checkFor(params.name, tool);
      const idempotencyKey = options?.idempotencyKey;
      const result = this.#send(params, { options, tool, idempotencyKey }, check);
      return this.#mirrors ? result.catch((error: unknown) => this.#again(error, params, options, check)) : result;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** A call that was refused for its headers before anything was done: the definition they were made from is out of date, or was never seen. */
  async #again(
    error: unknown,
    params: CallToolParams,
    options: CallToolOptions | undefined,
    check: OutputCheck,
  ): Promise<JsonObject> {
    if (!isProtocolError(error) || error.kind !== 'header-mismatch') throw error;
    await this.list(undefined, { cacheMode: 'refresh', signal: options?.signal });
    const tool = this.#port.outputs.toolNamed(params.name);
    return this.#send(params, { options, tool, idempotencyKey: options?.idempotencyKey }, check);
  }

  forget(): void {
    this.#warned.clear();
    this.#port.outputs.forget();
  }

  #send(params: CallToolParams, details: CallDetails, check: OutputCheck): Promise<JsonObject> {
    const { options, tool } = details;
    const headers =
      this.#mirrors && tool !== undefined
        ? { ...options?.headers, ...mirroredHeaders(tool, params) }
        : options?.headers;
    return this.#port.calls.callTool({ ...params }, { ...details, headers }, check);
  }

  get #mirrors(): boolean {
    const { transport, revision } = this.#port.link;
    return transport?.hasHeaders === true && revision?.http.mirrorsBody === true;
  }

  /** A tool whose annotations cannot be followed is left out, and only that one. */
  #isUsable(tool: Tool): boolean {
    const read = readMirroredParams(isJsonObject(tool) ? tool.inputSchema : undefined);
    if (read.ok) return true;
    const message = `The tool "${tool.name}" is left out, because its x-mcp-header annotations are not valid: ${read.fault}.`;
    if (!this.#warned.has(message))
      this.#port.onproblem(new TransportError('invalid-result', message, { tool: tool.name, fault: read.fault }));
    this.#warned.add(message);
    return false;
  }
}

function mirroredHeaders(tool: Tool, params: CallToolParams): Record<string, string> {
  const read = readMirroredParams(tool.inputSchema);
  const args = isJsonObject(params.arguments) ? params.arguments : {};
  const headers: Record<string, string> = {};
  for (const param of read.ok ? read.params : []) {
    const text = mirroredText(param, args);
    if (text !== undefined) headers[param.header] = writeHeaderValue(text);
  }
  return headers;
}
