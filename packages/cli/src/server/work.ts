import type { Host } from '@crosspoint/host';
import type { ConnectionState } from './offers/connection-state.ts';
import type { OperationName, OperationOptions, ParamsOf } from './operations.ts';
import type { QuestionDesk } from './questions/desk.ts';
import type { HeldCalls } from './questions/held-calls.ts';
import type { HeldTasks } from './tasks/held-tasks.ts';

/** An operation that is being carried out. */
export interface Work<Name extends OperationName> extends OperationOptions {
  readonly host: Host;
  /** The name of the server in the host. */
  readonly server: string;
  readonly params: ParamsOf<Name>;
  readonly state: ConnectionState;
  /** Questions, calls and tasks that outlive the command that began them. */
  readonly held: Held;
}

/** The parts of a connection that outlive single commands. */
export interface Held {
  readonly desk: QuestionDesk;
  readonly calls: HeldCalls;
  readonly tasks: HeldTasks;
}
