import type { JsonObject, RequestId } from '../../jsonrpc/message.ts';
import type { ResultReader } from '../../peer/outgoing.ts';
import type { Outcome, Retry } from '../../protocol/outcome.ts';
import type { Tool } from '../../protocol/tools.ts';
import type { Connection } from '../connecting/connection.ts';
import type { RequestOptions } from './request-options.ts';

/** Makes an outcome of a result: a revision, with what extensions add to it. */
export interface OutcomeReader {
  readResult(method: string, wire: JsonObject): Outcome;
}

/** Throws what is wrong with a result. */
export type ResultCheck = (result: JsonObject) => void;

/** What a caller says of a request, beside the request itself. */
export interface CallDetails {
  readonly options?: RequestOptions | undefined;
  /** The tool that is called, where it is known. */
  readonly tool?: Tool | undefined;
  /** Says that the call is the same however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  /** Sent beside the request where the transport has headers; those of the options when absent. */
  readonly headers?: RequestOptions['headers'];
  /** Whether it asks to become a task. Its progress then outlives its answer. */
  readonly asTask?: boolean | undefined;
  readonly check?: ResultCheck | undefined;
}

/** Where a call goes on that is not simply answered. */
export interface LongWay {
  now(): number;
  goOn(call: Call, first: Promise<Outcome> | undefined): Promise<JsonObject>;
}

export const NO_OPTIONS: RequestOptions = {};

/**
 * One request of the program, however often it has to be sent. It reads what comes first: a result is what the caller waits for, and
 * whatever else comes is where the long way begins.
 */
export class Call implements ResultReader<JsonObject> {
  // Declared alone, since every call makes one of these: a field that is defined and then assigned costs twice.
  declare readonly method: string;
  declare readonly params: JsonObject;
  /** Once the call is on the long way, their signal also ends it when its time is up. */
  declare options: RequestOptions;
  declare readonly details: CallDetails;
  declare readonly startedAt: number;
  /** When it was sent last, and with which id. */
  declare sentAt: number;
  declare id: RequestId;
  /** When this round of it was sent for the first time, once it is sent again. */
  declare firstSentAt: number | undefined;
  /** Whether the result is that of a retry, which must not be reused for others. */
  declare asked: boolean;
  /** What this round brings back. */
  declare retry: Retry | undefined;
  /** Where it was sent last, and what reads the answers that come from there. */
  declare connection: Connection | undefined;
  declare reader: OutcomeReader | undefined;
  declare private readonly longWay: LongWay;

  constructor(longWay: LongWay, method: string, params: JsonObject, details: CallDetails) {
    const { options = NO_OPTIONS } = details;
    this.longWay = longWay;
    this.method = method;
    this.params = params;
    this.options = options;
    this.details = details;
    this.startedAt = this.sentAt = longWay.now();
    this.id = '';
    this.firstSentAt = undefined;
    this.asked = false;
    this.retry = options.retry;
    this.connection = undefined;
    this.reader = undefined;
  }

  readResult(method: string, wire: JsonObject): JsonObject | Promise<JsonObject> {
    let outcome: Outcome;
    try {
      outcome = (this.reader as OutcomeReader).readResult(method, wire);
    } catch (error) {
      return this.readFailure(error);
    }
    if (outcome.kind !== 'complete') return this.longWay.goOn(this, Promise.resolve(outcome));
    this.details.check?.(outcome.result);
    return outcome.result;
  }

  readFailure(error: unknown): Promise<JsonObject> {
    return this.longWay.goOn(this, Promise.reject(error));
  }
}
