import { LOG_LEVELS, isAtLeast, isLoggingLevel, type LoggingLevel, type LoggingMessage } from '../protocol/logging.ts';
import { redact } from '../protocol/redact.ts';
import type { Clock } from '../peer/clock.ts';
import { RateLimit, type Rate } from '../peer/rate-limit.ts';

/** Decides which log messages of one connection leave: wanted level, no credentials, no flood. */
export class LogGate {
  readonly #clock: Clock;
  readonly #rate: Rate | undefined;
  // Made on first use: most connections are told no messages, and there may be many of them.
  #limit: RateLimit | undefined;
  #dropped = 0;

  /** Without a rate nothing is left out. */
  constructor(clock: Clock, rate: Rate | undefined) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** What to send: nothing, the message, or the message after a line that says how many were left out. */
  pass(message: LoggingMessage, threshold: LoggingLevel): readonly LoggingMessage[] {
    if (!isLoggingLevel(message.level))
      throw new TypeError(`A log level is one of ${LOG_LEVELS.join(', ')}; this is ${String(message.level)}.`);
    if (!isAtLeast(message.level, threshold)) return [];
    if (this.#rate) this.#limit ??= new RateLimit(this.#rate, this.#clock);
    if (this.#limit?.take() === false) {
      this.#dropped += 1;
      return [];
    }
    const clean: LoggingMessage = { ...message, data: redact(message.data) };
    if (this.#dropped === 0) return [clean];
    const notice: LoggingMessage = {
      level: 'warning',
      logger: 'crosspoint',
      data: `${this.#dropped} log messages were left out: too many in a short time.`,
    };
    this.#dropped = 0;
    return isAtLeast('warning', threshold) ? [notice, clean] : [clean];
  }
}
