import type { Attributes } from '@opentelemetry/api';
import { isJsonObject } from '../../jsonrpc/message.ts';
import { isProtocolError, TransportError } from '../../protocol/errors.ts';
import type { ConnectionFacts, Operation } from '../../protocol/operation.ts';
import type { Outcome } from '../../protocol/outcome.ts';

/** The name and attributes of an operation, by the OpenTelemetry semantic conventions for MCP. */
export interface Described {
  /** The method, and the tool or prompt. It has few distinct values, so it may name a span. */
  readonly name: string;
  /** For spans and metrics. */
  readonly shared: Attributes;
  /** For spans alone: values too numerous for a metric, or known to one call only. */
  readonly own: Attributes;
}

export function describe(operation: Operation): Described {
  const { method, params, requestId, sessionId } = operation;
  const target = typeof params['name'] === 'string' ? params['name'] : undefined;
  const shared: Attributes = { 'mcp.method.name': method, ...connectionAttributes(operation) };
  const own: Attributes = {};
  if (method === 'tools/call') {
    shared['gen_ai.operation.name'] = 'execute_tool';
    if (target !== undefined) shared['gen_ai.tool.name'] = target;
  }
  if (method === 'prompts/get' && target !== undefined) shared['gen_ai.prompt.name'] = target;
  const uri = resourceOf(operation);
  if (uri !== undefined) own['mcp.resource.uri'] = uri;
  if (requestId !== undefined) own['jsonrpc.request.id'] = String(requestId);
  if (sessionId !== undefined) own['mcp.session.id'] = sessionId;
  const named = method === 'tools/call' || method === 'prompts/get' ? target : undefined;
  return { name: named === undefined ? method : `${method} ${named}`, shared, own };
}

/** Attributes of the connection: transport and protocol version. */
export function connectionAttributes({ carrier, protocolVersion }: ConnectionFacts): Attributes {
  return {
    ...(protocolVersion !== undefined && { 'mcp.protocol.version': protocolVersion }),
    ...(carrier === 'stdio' && { 'network.transport': 'pipe' }),
    ...(carrier === 'http' && { 'network.transport': 'tcp', 'network.protocol.name': 'http' }),
  };
}

/** The error attributes of an outcome; empty for a success. */
export function faultOf(outcome: Outcome): Attributes {
  return outcome.kind === 'complete' && outcome.result['isError'] === true ? { 'error.type': 'tool_error' } : {};
}

export function faultIn(error: unknown): Attributes {
  if (isProtocolError(error))
    return { 'error.type': String(error.code), 'rpc.response.status_code': String(error.code) };
  if (error instanceof TransportError) return { 'error.type': error.code };
  return { 'error.type': error instanceof Error ? error.name : '_OTHER' };
}

/** Removes names that a caller may have made up: they must not become values of a metric. */
export function withoutMadeUp(shared: Attributes, error: unknown): Attributes {
  if (!isProtocolError(error) || (error.kind !== 'invalid-params' && error.kind !== 'method-not-found')) return shared;
  const { 'gen_ai.tool.name': _tool, 'gen_ai.prompt.name': _prompt, ...rest } = shared;
  return error.kind === 'method-not-found' ? { ...rest, 'mcp.method.name': '_OTHER' } : rest;
}

function resourceOf({ params }: Operation): string | undefined {
  const { uri, ref } = params;
  const found = uri ?? (isJsonObject(ref) ? ref['uri'] : undefined);
  return typeof found === 'string' ? found : undefined;
}
