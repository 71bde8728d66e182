import type { OperationName, OperationOptions, ParamsOf, ResultOf } from './operations.ts';

/** One server that is open for commands: in this process, or held by a keeper. */
export interface OpenServer {
  /** Its name: the configured or given one. */
  readonly name: string;
  /** Whether a keeper holds it, so that it stays when the command ends. */
  readonly isKept: boolean;
  /** Carries out an operation. Rejects with a `CliError` where the reason is the server's or the user's. */
  request<Name extends OperationName>(
    operation: Name,
    params: ParamsOf<Name>,
    options?: OperationOptions,
  ): Promise<ResultOf<Name>>;
  /** Lets running operations go on without this command, where a keeper holds the server; `calls.wait` gives their results. */
  park(): void;
  /** Ends the connection, or this command's hold on a kept one. */
  release(): Promise<void>;
}
