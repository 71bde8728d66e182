import {
  context as contexts,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Histogram,
  type Meter,
  type Span,
  type TextMapPropagator,
  type Tracer,
} from '@opentelemetry/api';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { isProtocolError } from '../../protocol/errors.ts';
import type { ConnectionFacts, Middleware, Next, Operation } from '../../protocol/operation.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { atOnce } from '../../runtime/guard.ts';
import { describe, faultIn, faultOf, connectionAttributes, withoutMadeUp } from './attributes.ts';
import { extracted, injected, w3c } from './trace-context.ts';

export interface TelemetryOptions {
  /** Makes the spans; the global one when absent. */
  readonly tracer?: Tracer;
  /** Makes the metrics; the global one when absent. */
  readonly meter?: Meter;
  /** Reads and writes the trace context; W3C when absent. Only `traceparent`, `tracestate` and `baggage` ever cross the wire. */
  readonly propagator?: TextMapPropagator;
  /** Chooses the operations to trace; all but progress notifications when absent. */
  readonly only?: (operation: Operation) => boolean;
}

const NAME = 'crosspoint';
/** Histogram boundaries in seconds, as the conventions advise. */
const BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** The histograms: by the side that sent the operation, or that held the session. */
type Measured = 'client.operation' | 'server.operation' | 'client.session' | 'server.session';

/** Reports operations to OpenTelemetry as spans and metrics, on either side. A propagator that fails does not affect the call. */
export function telemetry(options: TelemetryOptions = {}): Middleware {
  const told = new Telling(options);
  const only = options.only ?? (({ method }: Operation) => method !== 'notifications/progress');
  const middleware: Middleware = (operation, next) =>
    atOnce(only(operation), 'only') ? told.around(operation, next) : next();
  middleware.onconnection = (connection) => told.connected(connection);
  return middleware;
}

class Telling {
  readonly #options: TelemetryOptions;
  readonly #propagator: TextMapPropagator;
  readonly #histograms = new Map<Measured, Histogram>();

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#propagator = options.propagator ?? w3c;
  }

  async around(operation: Operation, next: Next): Promise<Outcome> {
    const startedAt = performance.now();
    const { name, shared, own } = describe(operation);
    const isIncoming = operation.direction === 'incoming';
    const active = contexts.active();
    const parent = isIncoming ? this.#extracted(operation, active) : active;
    const around = isIncoming && parent !== active ? trace.getSpanContext(active) : undefined;
    const span = this.#tracer.startSpan(
      name,
      {
        kind: isIncoming ? SpanKind.SERVER : SpanKind.CLIENT,
        attributes: { ...shared, ...own },
        ...(around !== undefined && { links: [{ context: around }] }),
      },
      parent,
    );
    const context = trace.setSpan(parent, span);
    // A question of a server has to stay the same whenever its handler runs again, and its call has the trace already.
    const params = isIncoming || operation.side === 'server' ? operation.params : this.#injected(operation, context);
    const end = (fault: Attributes, error?: unknown): void => {
      // The id of an outgoing request is known only after it is sent.
      if (operation.requestId !== undefined) span.setAttribute('jsonrpc.request.id', String(operation.requestId));
      finish(span, fault, error);
      const measured = isIncoming ? 'server.operation' : 'client.operation';
      this.#record(measured, startedAt, { ...withoutMadeUp(shared, isIncoming ? error : undefined), ...fault });
    };
    try {
      const outcome = await contexts.with(context, () => next(params));
      if (outcome.kind !== 'complete') span.setAttribute('crosspoint.outcome', outcome.kind);
      end(faultOf(outcome));
      return outcome;
    } catch (error) {
      end(faultIn(error), error);
      throw error;
    }
  }

  connected(connection: ConnectionFacts): (error?: Error) => void {
    const startedAt = performance.now();
    return (error) =>
      this.#record(`${connection.side}.session`, startedAt, {
        ...connectionAttributes(connection),
        ...(error !== undefined && faultIn(error)),
      });
  }

  get #tracer(): Tracer {
    return this.#options.tracer ?? trace.getTracer(NAME);
  }

  #extracted({ params }: Operation, active: Context): Context {
    try {
      return extracted(params, active, this.#propagator);
    } catch {
      return active;
    }
  }

  #injected({ params }: Operation, context: Context): JsonObject {
    try {
      return injected(params, context, this.#propagator);
    } catch {
      return params;
    }
  }

  /** Records a duration. Histograms are made on first use: a program may set up its meters after its servers. */
  #record(measured: Measured, startedAt: number, attributes: Attributes): void {
    let histogram = this.#histograms.get(measured);
    if (histogram === undefined) {
      const meter = this.#options.meter ?? metrics.getMeter(NAME);
      const name = `mcp.${measured}.duration`;
      histogram = meter.createHistogram(name, { unit: 's', advice: { explicitBucketBoundaries: BOUNDARIES } });
      this.#histograms.set(measured, histogram);
    }
    histogram.record((performance.now() - startedAt) / 1000, attributes);
  }
}

/** Ends a span. The message of an error is recorded only where it was sent to the peer as well. */
function finish(span: Span, fault: Attributes, error: unknown): void {
  span.setAttributes(fault);
  if (fault['error.type'] !== undefined)
    span.setStatus({ code: SpanStatusCode.ERROR, ...(isProtocolError(error) && { message: error.message }) });
  span.end();
}
