import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import { isProtocolError, TransportError } from '../protocol/errors.ts';
import { mirroredText, readMirroredParams } from '../protocol/mirrored-params.ts';
import type { CallToolParams, ListToolsResult, Tool } from '../protocol/tools.ts';
import { writeHeaderValue } from '../wire/header-value.ts';
import type { Calls } from './calls.ts';
import type { Link } from './link.ts';
import type { OutputChecks } from './output-checks.ts';
import { isRepeatable } from './replay.ts';
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

  async call(params: CallToolParams, options: CallToolOptions): Promise<JsonObject> {
    const { outputs } = this.#port;
    const check = outputs.checkFor(params.name, options.toolDefinition);
    let result: JsonObject;
    try {
      result = await this.#send(params, options, options.toolDefinition ?? outputs.toolNamed(params.name));
    } catch (error) {
      if (!this.#mirrors || !isProtocolError(error) || error.kind !== 'header-mismatch') throw error;
      // The call was refused for its headers before anything was done: the definition they were made from is out of date, or was never seen.
      await this.list(undefined, { cacheMode: 'refresh', signal: options.signal });
      result = await this.#send(params, options, outputs.toolNamed(params.name));
    }
    check(result);
    return result;
  }

  forget(): void {
    this.#warned.clear();
    this.#port.outputs.forget();
  }

  #send(params: CallToolParams, options: CallToolOptions, tool: Tool | undefined): Promise<JsonObject> {
    const headers =
      this.#mirrors && tool !== undefined ? { ...options.headers, ...mirroredHeaders(tool, params) } : options.headers;
    return this.#port.calls.request(
      'tools/call',
      { ...params },
      { ...options, headers, replay: options.replay ?? isRepeatable(tool) },
    );
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
