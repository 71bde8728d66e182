import type { TargetWords } from '../grammar/command.ts';
import type { TargetValues } from '../grammar/parse.ts';
import type { Ending } from '../errors/exit-codes.ts';
import type { OperationEvent, OperationName } from '../server/operations.ts';

/** A line from a command to a keeper. The first one says hello with the token of the record. */
export type ToKeeper =
  | { readonly hello: string; readonly version: string }
  /** Connect to the server. */
  | { readonly id: number; readonly open: OpenRequest }
  | { readonly id: number; readonly operation: OperationName; readonly params: object }
  | { readonly cancel: number }
  /** Operations go on when this command leaves. */
  | { readonly park: true }
  | { readonly end: true };

export interface OpenRequest {
  readonly target: TargetWords;
  readonly reaching: TargetValues;
}

/** A line from a keeper to a command. */
export type FromKeeper =
  | { readonly welcome: true }
  | { readonly id: number; readonly event: OperationEvent }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: WireError };

export interface WireError {
  readonly ending: Ending;
  readonly message: string;
  readonly hint?: string;
}
