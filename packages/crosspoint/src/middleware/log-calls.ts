import { isJsonObject, type JsonObject, type RequestId } from '../jsonrpc/message.ts';
import { isProtocolError, TransportError } from '../protocol/errors.ts';
import type { Carrier, Middleware, Operation } from '../protocol/operation.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { redact } from '../protocol/redaction/redact.ts';
import { atOnce, attempt } from '../runtime/guard.ts';

/** One operation that is over. Members without a value are absent. */
export interface CallRecord {
  readonly side: Operation['side'];
  readonly direction: Operation['direction'];
  readonly kind: Operation['kind'];
  readonly method: string;
  /** The tool, prompt, resource or task of the operation. */
  readonly name?: string;
  readonly ms: number;
  /** `tool-error`: a result with `isError`. */
  readonly outcome: 'complete' | 'tool-error' | 'input-required' | 'task' | 'error';
  /** The kind and code of an error, never its message. */
  readonly error?: { readonly kind: string; readonly code?: number };
  readonly requestId?: RequestId;
  /** The first eight characters of the session's id: the whole id would give a reader of the log access to the session. */
  readonly session?: string;
  readonly principal?: string;
  readonly protocolVersion?: string;
  readonly carrier?: Carrier;
  /** Present only with the options `params` and `results`; credentials are masked. */
  readonly params?: unknown;
  readonly result?: unknown;
}

export interface LogCallsOptions {
  log(record: CallRecord): void;
  /** Chooses the operations to log; all when absent. */
  readonly only?: (operation: Operation) => boolean;
  /** Whether to log params and results too, with credentials masked. */
  readonly params?: boolean;
  readonly results?: boolean;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

const SHOWN_OF_A_SESSION = 8;

/** Logs one record for each operation, on either side. An error that `log` throws is ignored. */
export function logCalls(options: LogCallsOptions): Middleware {
  const { only, now: clock = () => performance.now() } = options;
  const now = (): number => atOnce(clock(), 'now');
  return async (operation, next) => {
    if (only !== undefined && !atOnce(only(operation), 'only')) return next();
    const startedAt = now();
    const write = (how: Pick<CallRecord, 'outcome' | 'error' | 'result'>): void => {
      // A call does not fail because it could not be logged.
      attempt(
        () =>
          options.log({ ...factsOf(operation, options), ms: Math.round((now() - startedAt) * 1000) / 1000, ...how }),
        undefined,
      );
    };
    try {
      const outcome = await next();
      write(described(outcome, options.results === true));
      return outcome;
    } catch (error) {
      write({ outcome: 'error', error: kindOf(error) });
      throw error;
    }
  };
}

function factsOf(operation: Operation, options: LogCallsOptions): Omit<CallRecord, 'ms' | 'outcome'> {
  const { side, direction, kind, method, params, requestId, sessionId, principal, protocolVersion, carrier } =
    operation;
  const name = targetOf(operation);
  return {
    side,
    direction,
    kind,
    method,
    ...(name !== undefined && { name }),
    ...(requestId !== undefined && { requestId }),
    ...(sessionId !== undefined && { session: sessionId.slice(0, SHOWN_OF_A_SESSION) }),
    ...(principal !== undefined && { principal }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(carrier !== undefined && { carrier }),
    ...(options.params === true && { params: redact(params) }),
  };
}

function described(outcome: Outcome, withResult: boolean): Pick<CallRecord, 'outcome' | 'result'> {
  if (outcome.kind !== 'complete') return { outcome: outcome.kind };
  const { result } = outcome;
  return {
    outcome: result['isError'] === true ? 'tool-error' : 'complete',
    ...(withResult && { result: redact(result) }),
  };
}

function kindOf(error: unknown): { kind: string; code?: number } {
  if (isProtocolError(error)) return { kind: error.kind, code: error.code };
  if (error instanceof TransportError) return { kind: error.code };
  return { kind: error instanceof Error ? error.name : typeof error };
}

/** The tool, prompt, resource or task that an operation is about, by its name. */
function targetOf({ params }: { readonly params: JsonObject }): string | undefined {
  const { name, uri, taskId, ref } = params;
  const found = name ?? uri ?? taskId ?? (isJsonObject(ref) ? (ref['name'] ?? ref['uri']) : undefined);
  return typeof found === 'string' ? found : undefined;
}
