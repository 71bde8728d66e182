import {
  LOG_LEVELS,
  isAtLeast,
  isLoggingLevel,
  type LoggingLevel,
  type LoggingMessage,
} from '../../protocol/logging.ts';
import { redact } from '../../protocol/redaction/redact.ts';
import type { Clock } from '../../peer/clock.ts';
import { RateLimit, type Rate } from '../../peer/rate-limit.ts';

/** The log messages to one reader. */
interface Flow {
  readonly limit: RateLimit;
  dropped: number;
}

const MAX_READERS = 10_000;

/** Decides which log messages leave: wanted level, no credentials, no flood for any one reader. */
export class LogGate {
  readonly #clock: Clock;
  readonly #rate: Rate | undefined;
  // Made on first use: most connections get no log messages, and there may be many connections.
  #named: Map<string, Flow> | undefined;
  #nameless: WeakMap<object, Flow> | undefined;

  /** Without a rate no message is dropped. */
  constructor(clock: Clock, rate: Rate | undefined) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** The messages to send to a reader: none, the message, or the message after a line that says how many were dropped. */
  pass(message: LoggingMessage, threshold: LoggingLevel, reader: string | object = this): readonly LoggingMessage[] {
    if (!isLoggingLevel(message.level))
      throw new TypeError(`A log level is one of ${LOG_LEVELS.join(', ')}; this is ${String(message.level)}.`);
    if (!isAtLeast(message.level, threshold)) return [];
    const flow = this.#rate && this.#flowTo(reader, this.#rate);
    if (flow?.limit.take() === false) {
      flow.dropped += 1;
      return [];
    }
    const clean: LoggingMessage = { ...message, data: redact(message.data) };
    if (flow === undefined || flow.dropped === 0) return [clean];
    const notice: LoggingMessage = {
      level: 'warning',
      logger: 'crosspoint',
      data: `${flow.dropped} log messages were left out: too many in a short time.`,
    };
    flow.dropped = 0;
    return isAtLeast('warning', threshold) ? [notice, clean] : [clean];
  }

  #flowTo(reader: string | object, rate: Rate): Flow {
    const known = typeof reader === 'string' ? this.#named?.get(reader) : this.#nameless?.get(reader);
    if (known !== undefined) return known;
    const made: Flow = { limit: new RateLimit(rate, this.#clock), dropped: 0 };
    if (typeof reader === 'object') (this.#nameless ??= new WeakMap()).set(reader, made);
    else this.#name(reader, made);
    return made;
  }

  #name(reader: string, flow: Flow): void {
    const named = (this.#named ??= new Map<string, Flow>());
    if (named.size >= MAX_READERS) named.delete(named.keys().next().value ?? '');
    named.set(reader, flow);
  }
}
