import { isJsonObject } from '../../jsonrpc/message.ts';
import { TransportError, isProtocolError } from '../../protocol/errors.ts';
import { effectiveAnnotations, type Tool } from '../../protocol/tools.ts';
import { httpFailureOf } from '../../transports/http/client/http-failure.ts';

/** Requests that change nothing, so that asking twice is the same as asking once. */
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

/** Whether a request may be repeated when nobody knows what became of it, unless the caller says otherwise. */
export function isHarmless(method: string): boolean {
  return HARMLESS.has(method);
}

/** Whether a tool says of itself that calling it twice does no harm. */
export function isRepeatable(tool: Tool | undefined): boolean {
  if (tool === undefined) return false;
  const { readOnlyHint, idempotentHint } = effectiveAnnotations(tool);
  return [readOnlyHint, idempotentHint].includes(true);
}

/** What is to be done about a request that failed: it is `final`, or it was `lost` with its session, or the server is `away` for a while. */
export type FailureKind = 'final' | 'lost' | 'away';

const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

export function failureKind(error: unknown): FailureKind {
  if (!(error instanceof TransportError)) return 'final';
  if (error.code === 'delivery-unknown' || error.code === 'session-lost') return 'lost';
  if (error.code === 'network') return 'away';
  return error.code === 'http' && AWAY.has(httpFailureOf(error)?.status ?? 0) ? 'away' : 'final';
}

/** For requests that must not be repeated: says that nobody knows, where that is so. */
export function unrepeated(method: string, error: unknown): unknown {
  if (!(error instanceof TransportError) || (error.code !== 'network' && error.code !== 'session-lost')) return error;
  const message = `${method}: no answer came, so it may or may not have been carried out; it was not repeated. ${error.message}`;
  return new TransportError('delivery-unknown', message, { ...error.details, method }, { cause: error });
}

/** Whether a server that got a call again says that it does not know what became of the first. */
export function isForgotten(error: unknown): boolean {
  if (!isProtocolError(error) || error.kind !== 'idempotency-conflict' || !isJsonObject(error.data)) return false;
  const { reason } = error.data;
  return reason === 'forgotten' || reason === 'unknown';
}
