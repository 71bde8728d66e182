import { isJsonObject } from '../../jsonrpc/message.ts';
import { TransportError, isProtocolError } from '../../protocol/errors.ts';
import { effectiveAnnotations, type Tool } from '../../protocol/tools.ts';
import { httpFailureOf } from '../../transports/http/client/http-failure.ts';

/** Methods that change nothing, so that sending them twice is safe. */
const HARMLESS: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/get',
  'tasks/list',
]);

/** Whether a request may be repeated by default when its fate is unknown. */
export function isHarmless(method: string): boolean {
  return HARMLESS.has(method);
}

/** Whether the tool's annotations say that calling it twice is safe. */
export function isRepeatable(tool: Tool | undefined): boolean {
  if (tool === undefined) return false;
  const { readOnlyHint, idempotentHint } = effectiveAnnotations(tool);
  return [readOnlyHint, idempotentHint].includes(true);
}

/**
 * How a request failed: `final`, not to be repeated; `refused`, by a server that has lost the session and therefore did not carry it out; `lost`,
 * with its connection or session; `away`, the server is unreachable for now.
 */
export type FailureKind = 'final' | 'refused' | 'lost' | 'away';

const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

export function failureKind(error: unknown): FailureKind {
  if (!(error instanceof TransportError)) return 'final';
  if (error.code === 'session-lost') return 'refused';
  if (error.code === 'delivery-unknown') return 'lost';
  if (error.code === 'network') return 'away';
  return error.code === 'http' && AWAY.has(httpFailureOf(error)?.status ?? 0) ? 'away' : 'final';
}

/** The error for a request that must not be repeated: `delivery-unknown` when it may have been carried out. */
export function unrepeated(method: string, error: unknown): unknown {
  if (!(error instanceof TransportError) || error.code !== 'network') return error;
  const message = `${method}: no answer came, so it may or may not have been carried out; it was not repeated. ${error.message}`;
  return new TransportError('delivery-unknown', message, { ...error.details, method }, { cause: error });
}

/** Whether a server that received a repeated call reports that it has no record of the first. */
export function isForgotten(error: unknown): boolean {
  if (!isProtocolError(error) || error.kind !== 'idempotency-conflict' || !isJsonObject(error.data)) return false;
  const { reason } = error.data;
  return reason === 'forgotten' || reason === 'unknown';
}
